package fake

import "encoding/base64"

func (s *session) authStatus() answer {
	switch {
	case s.scenario.has("logged_out"):
		return ok(object{"auth_method": "none", "hint": "run `arkcli auth login`", "logged_in": false})
	case s.scenario.has("expired"):
		return ok(object{"auth_method": "none", "logged_in": false, "volc_sso": object{"expired": true}, "sso_expired": true})
	}
	status := object{
		"logged_in": true, "auth_method": s.method(),
		"volc_sso": object{
			"identity": object{"name": "alice", "account_id": "2100000001", "trn": "trn:iam::2100000001:user/alice", "is_root": false, "verified": true, "verify_type": "enterprise"},
			"expired":  s.scenario.has("sso_expired_but_ok"), "id_token_expires_at": 1790000000,
		},
		"ark_api_key":    object{"key": "ark-****9964", "status": "active"},
		"project_name":   "default",
		"active_profile": s.active(),
	}
	if !s.scenario.has("no_summary") {
		status["profiles_summary"] = s.profiles()
	}
	if !s.scenario.any("no_control_plane_field", "old", "very_old") {
		status["control_plane_auth"] = s.controlPlane()
	}
	if s.scenario.has("text_types") {
		status["logged_in"], status["an_unknown_field"] = "true", []any{1, nil, object{}}
	}
	if s.scenario.has("unknown_shape") {
		return ok(object{"state": "fine", "user": "alice"})
	}
	return ok(status)
}

func (s *session) controlPlane() object {
	if s.scenario.has("stale_login") {
		return object{"status": "needs_login", "reason": "refresh_failed"}
	}
	return object{"status": "ok", "reason": "identity_sts_refreshed", "sts_expires_at_ms": 1790000000000}
}

func (s *session) method() string {
	switch {
	case s.scenario.has("ve_handoff"):
		return "sts"
	case s.scenario.has("aksk"):
		return "aksk"
	case s.scenario.has("apikey_login"):
		return "apikey"
	}
	return "sso"
}

func (s *session) whoami() answer {
	if s.scenario.any("logged_out", "expired") {
		out := object{"logged_in": false, "auth_method": "none", "hint": "run `arkcli auth login`"}
		if s.scenario.has("expired") {
			out["sso_expired"] = true
		}
		return ok(out)
	}
	return ok(object{
		"logged_in": true, "auth_method": s.method(), "name": "alice", "user_id": "31", "account_id": "2100000001",
		"trn": "trn:iam::2100000001:user/alice", "is_root": false, "project_name": "default", "region": "cn-beijing",
	})
}

// login is the two-phase login without a browser.
func (s *session) login() answer {
	code, second := s.flags["code"]
	switch {
	case second && s.flags["no-browser"] == "":
		return envelope(2, "validation", "--code needs --no-browser", "")
	case s.flags["no-browser"] == "":
		return envelope(1, "error", "读取授权码失败: EOF", "")
	case !second:
		s.keep("sso-pending.json", "{}")
		return ok(object{
			"stage": "authorize_pending", "method": "sso_no_browser", "expires_in_sec": 600,
			"authorize_url": "https://signin.volcengine.com/authorize/oauth/authorize?state=fake",
			"next_command":  "arkcli auth login --no-browser --code <code>",
		})
	case s.kept("sso-pending.json") == "":
		return envelope(1, "error", "登录会话已过期, 请重新执行 arkcli auth login --no-browser", "")
	}
	if _, err := base64.StdEncoding.DecodeString(code); err != nil {
		return envelope(1, "error", "base64 解码失败", "")
	}
	s.keep("sso-pending.json", "")
	return ok(object{"auth_method": "sso_no_browser", "path": "identities/fake/metadata.json"})
}
