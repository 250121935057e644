package fake

import "fmt"

func endpointItem(id, name, model, version, status, reason string) object {
	return object{
		"Id": id, "Name": name, "Description": "", "ProjectName": "default", "Status": status, "StatusReason": reason,
		"CreateTime": "2026-07-01T12:00:00Z", "UpdateTime": "2026-07-01T12:00:00Z", "EndpointModelType": "FoundationModel",
		"ModelReference": object{"FoundationModel": object{"Name": model, "ModelVersion": version}}, "ModelUnitId": "",
		"RateLimit": object{"Rpm": 30000, "Tpm": 5000000},
		"Tags":      []object{{"Key": "sys:ark:createdBy", "Value": "IAMUser/1/alice"}},
	}
}

// endpoints are the account's. With paged_endpoints there are 250, and the one
// that tests ask for is on the third page of 100.
func (s *session) endpoints() []object {
	first := endpointItem("ep-20260701120000-abcde", "bench", "doubao-seed-2-0-mini", "260428", "Running", "")
	if s.scenario.has("endpoint_stopped") {
		first["Status"], first["StatusReason"] = "Stopped", "stopped by its owner"
	}
	if s.scenario.has("endpoint_custom_model") {
		first["ModelReference"] = object{"CustomModelId": "cm-20260601-xyz"}
		first["EndpointModelType"] = "CustomModel"
	}
	if !s.scenario.has("paged_endpoints") {
		return []object{first, endpointItem("ep-m-20260702120000-fghij", "glm line", "glm-5-2", "260617", "Scheduling", "")}
	}
	var out []object
	for i := range 250 {
		out = append(out, endpointItem(fmt.Sprintf("ep-20260701120000-n%04d", i), fmt.Sprintf("other %d", i), "glm-5-2", "260617", "Running", ""))
	}
	out[230] = first
	return out
}

func (s *session) endpointList() answer {
	if s.flags["mine"] != "" && s.scenario.has("aksk") {
		return envelope(1, "error", "--mine needs an SSO login of an IAM user", "")
	}
	all := s.endpoints()
	page, size := number(s.flags["page-number"], 1), min(number(s.flags["page-size"], 10), 100)
	from := min((page-1)*size, len(all))
	return ok(object{"TotalCount": len(all), "PageNumber": page, "PageSize": size, "Items": all[from:min(from+size, len(all))]})
}

func (s *session) endpointGet() answer {
	for _, e := range s.endpoints() {
		if len(s.words) > 0 && e["Id"] == s.words[0] {
			e["SupportRolling"], e["SupportScaleTier"], e["RollingId"], e["ScaleTierId"] = false, false, "", ""
			return ok(e)
		}
	}
	return envelope(5, "not_found", "endpoint not found", "")
}

func (s *session) resourcesList() answer {
	var items []object
	for i, e := range s.endpoints() {
		items = append(items, object{"id": e["Id"], "is_default": i == 0})
	}
	return ok(object{"profile": s.wanted(), "type": "platform", "modality": "text", "items": items, "current_default": items[0]["id"], "item_count": len(items)})
}

func (s *session) resourcesResolve() answer {
	for _, e := range s.endpoints() {
		if len(s.words) > 0 && e["Id"] == s.words[0] {
			return ok(object{"endpoint_model_type": e["EndpointModelType"], "model_id": "doubao-seed-2-0-mini-260428", "generation_modality": "text", "requires_user_intent": false})
		}
	}
	return envelope(5, "not_found", "resource not found", "")
}

func (s *session) usagePlan() answer {
	return ok(object{"viewer": object{"account_id": "2100000001"}, "items": []object{{
		"product": "coding-plan", "edition": "personal", "tier": "lite", "subscribed": true,
		"periods": []object{{"label": "5h", "used": 10, "total": 100, "percent": 10, "reset_at": "2026-10-10T10:00:00Z"}},
	}}})
}

func (s *session) usageStats() answer {
	if s.flags["start"] == "" {
		return envelope(2, "validation", "usage stats needs --start", "")
	}
	totals := object{"InputTokens": "0", "CacheTokensHit": "0", "OutputTokens": "0", "TotalTokens": "0", "ReqCnt": "0"}
	if s.scenario.has("in_production") {
		totals = object{"InputTokens": "8000000", "CacheTokensHit": "6000000", "OutputTokens": "300000", "TotalTokens": "8300000", "ReqCnt": "1000"}
	}
	return ok(object{"fields": []object{{"name": "ReqCnt", "type": "number"}}, "records": []object{}, "data_count": 0, "totals": totals})
}
