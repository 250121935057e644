package fake

const platformName = "platform_cn-beijing_default"

func profile(name, kind, region, project string, standard bool) object {
	return object{"name": name, "type": kind, "region": region, "project": project, "is_default": standard}
}

func (s *session) profiles() []object {
	coding := profile("coding-plan_cn-beijing", "coding-plan", "cn-beijing", "", false)
	switch {
	case s.scenario.has("no_platform_profile"):
		return []object{}
	case s.scenario.has("plan_only"):
		return []object{coding, profile("agent-plan_cn-beijing", "agent-plan", "cn-beijing", "", true)}
	case s.scenario.has("team_plan_only"):
		return []object{profile("coding-plan-team_cn-beijing", "coding-plan-team", "cn-beijing", "", true), profile("agent-plan-team_cn-beijing", "agent-plan-team", "cn-beijing", "", false)}
	case s.scenario.has("multi_platform"):
		coding["is_default"] = true
		return []object{coding, profile("platform_cn-beijing_first", "platform", "cn-beijing", "first", false), profile(platformName, "platform", "cn-beijing", "default", true)}
	case s.scenario.has("chinese_project"):
		return []object{profile("platform_cn-beijing_账号全部资源", "platform", "cn-beijing", "账号全部资源", true)}
	case s.scenario.has("no_region"):
		return []object{{"name": "main", "type": "platform", "is_default": true}}
	}
	return []object{profile(platformName, "platform", "cn-beijing", "default", true), coding}
}

func (s *session) active() object {
	for _, p := range s.profiles() {
		if p["is_default"] == true {
			return p
		}
	}
	return object{}
}

func (s *session) profileList() answer { return ok(object{"profiles": s.profiles()}) }

// wanted is the profile that a command works on. ARK_PROFILE beats the flag,
// as it did in old versions: nobody who pins a profile may hand it down.
func (s *session) wanted() string {
	for _, name := range []string{s.env["ARK_PROFILE"], s.flags["profile"]} {
		if name != "" {
			return name
		}
	}
	if len(s.words) > 0 {
		return s.words[0]
	}
	name, _ := s.active()["name"].(string)
	return name
}

func (s *session) profileShow() answer {
	for _, p := range s.profiles() {
		if p["name"] == s.wanted() {
			return ok(s.shown(p))
		}
	}
	return envelope(1, "not_found", "profile not found: "+s.wanted(), "")
}

func (s *session) shown(p object) object {
	p["api_key"] = "ark-****9964"
	p["resources"] = object{"text": object{"default": "ep-20260701120000-abcde"}}
	switch {
	case s.scenario.has("show_nested"):
		p["config"] = object{"base_url": s.baseURL()}
	case s.scenario.any("show_no_base_url", "no_region"):
	case s.scenario.has("show_bad_url"):
		p["base_url"] = map[string]string{"": "ftp://ark.cn-beijing.volces.com/api/v3", "user": "https://u:p@ark.cn-beijing.volces.com/api/v3", "http": "http://ark.example.com/api/v3", "plan": "https://ark.cn-beijing.volces.com/api/plan/v3", "text": "not an address"}[s.scenario.arg("show_bad_url")]
	default:
		p["base_url"] = s.baseURL()
	}
	return p
}

func (s *session) keyGet() answer {
	if s.scenario.has("agreement_required") {
		return envelope(1, "agreement_required", "the service agreement has not been accepted", "accept it in the console")
	}
	key := s.shownKey()
	if s.flags["plain"] != "" {
		return answer{stdout: key + "\n"}
	}
	body := object{"api_key": key, "profile": s.wanted()}
	if s.scenario.has("key_of_other_profile") {
		body["profile"] = "platform_cn-shanghai_other"
	}
	if s.scenario.has("key_data_envelope") {
		return ok(object{"data": body})
	}
	return ok(body)
}

func (s *session) shownKey() string {
	switch {
	case s.env["ARK_API_KEY"] != "":
		return s.env["ARK_API_KEY"]
	case s.scenario.has("key_empty"):
		return ""
	case s.scenario.has("key_masked"):
		return "ark-****9964"
	case s.scenario.has("key_multiline"):
		return s.key() + "\nark-second-line"
	case s.scenario.has("key_quoted"):
		return `"` + s.key() + `"`
	}
	return s.key()
}

func (s *session) keysList() answer {
	return ok(object{"profile": s.wanted(), "default_api_key": "392****dab0", "available_api_keys": []string{"392****dab0"}})
}

func (s *session) keysRefresh() answer {
	s.keep("refreshed", "yes")
	status := "ok"
	if s.scenario.has("refresh_fails") {
		status = "skipped"
	}
	a := ok(object{
		"profile": s.wanted(), "default_api_key": "392****dab0", "available_api_keys": []string{"392****dab0"},
		"added_count": 2, "removed_count": 0, "refresh_status": status,
	})
	a.stderr = "note: keys of the profile were refreshed\n"
	return a
}
