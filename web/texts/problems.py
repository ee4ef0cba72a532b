"""What went wrong, and what is wrong with a field."""

from __future__ import annotations

PROBLEMS: dict[str, tuple[str, str]] = {
    "problem.LPS_BAD_REQUEST": ("요청을 이해할 수 없습니다.", "The request is not understood."),
    "problem.LPS_NO_BODY": ("요청 본문이 비어 있습니다. JSON을 보내 주세요.", "The body is empty. Send JSON."),
    "problem.LPS_BAD_JSON": ("요청 본문이 올바른 JSON이 아닙니다.", "The body is not valid JSON."),
    "problem.LPS_CROSS_SITE": (
        "다른 사이트에서 보낸 요청은 받지 않습니다.",
        "Requests from another site's page are refused.",
    ),
    "problem.LPS_WATCH_NOT_FOUND": ("그런 가격 감시가 없습니다.", "There is no such watch."),
    "problem.LPS_LOGIN_NEEDED": (
        "로그인하거나 API 키(Authorization: Bearer lps_…)를 보내 주세요.",
        "Sign in, or send an API key (Authorization: Bearer lps_…).",
    ),
    "problem.LPS_BAD_KEY": (
        "API 키가 없거나, 기한이 지났거나, 취소되었습니다.",
        "The API key is unknown, expired or revoked.",
    ),
    "problem.LPS_FORBIDDEN": ("이 일을 할 권한이 없습니다.", "You may not do this."),
    "problem.LPS_CSRF": (
        "이 페이지에서 보낸 요청인지 확인할 수 없습니다. 페이지를 새로 고쳐 다시 보내 주세요.",
        "It cannot be told that our own page sent this. Reload the page and send it again.",
    ),
    "problem.LPS_WEAK_PASSWORD": (
        "비밀번호는 10자 이상 1,000자 이하여야 합니다.",
        "A password has 10 to 1,000 characters.",
    ),
    "problem.LPS_NOT_NOW": ("지금은 할 수 없습니다.", "This cannot be done now."),
    "problem.LPS_IN_PROGRESS": (
        "같은 Idempotency-Key의 요청을 아직 처리하고 있습니다.",
        "The first request under this Idempotency-Key is still being answered.",
    ),
    "problem.LPS_KEY_REUSED": (
        "이 Idempotency-Key는 다른 요청에 이미 쓰였습니다.",
        "This Idempotency-Key was used for another request.",
    ),
    "problem.LPS_QUOTA_SPENT": (
        "이 키의 하루 검색 수를 다 썼습니다. 한국 시각 자정에 다시 시작합니다.",
        "The key's searches of the day are used up; the next day begins at midnight in Korea.",
    ),
    "problem.LPS_BUDGET_SPENT": (
        "이 키의 하루 예산을 다 썼습니다. 한국 시각 자정에 다시 시작합니다.",
        "The key's budget of the day is used up; the next day begins at midnight in Korea.",
    ),
    "problem.LPS_RATE_LIMITED": (
        "요청이 너무 잦습니다. Retry-After만큼 기다려 주세요.",
        "Too many requests. Wait as long as Retry-After says.",
    ),
    "problem.LPS_NOT_FOUND": ("그런 주소가 없습니다.", "There is nothing at this address."),
    "problem.LPS_JOB_NOT_FOUND": (
        "그런 검색이 없거나 검색 번호가 잘못되었습니다.",
        "There is no such search, or its id is malformed.",
    ),
    "problem.LPS_PRODUCT_NOT_FOUND": (
        "이 상품 코드로 저장된 가격이 없습니다.",
        "No price is stored under this product code.",
    ),
    "problem.LPS_NO_EVIDENCE": (
        "이 증거는 없거나, 보관 기간이 지났거나, 다른 기계에 있습니다.",
        "This evidence is not there: past its days, or kept on another machine.",
    ),
    "problem.LPS_NO_REASON": ("사유를 적어 주세요.", "A reason is needed."),
    "problem.LPS_NO_RESULT": ("이 검색은 아직 결과가 없습니다.", "This search has no result yet."),
    "problem.LPS_METHOD_NOT_ALLOWED": ("이 주소에서 쓸 수 없는 메서드입니다.", "This method is not allowed here."),
    "problem.LPS_TOO_LARGE": ("요청 본문이 너무 큽니다.", "The body is too large."),
    "problem.LPS_URI_TOO_LONG": ("주소가 너무 깁니다.", "The address is too long."),
    "problem.LPS_NOT_JSON_TYPE": (
        "Content-Type을 application/json으로 보내 주세요.",
        "Send it as Content-Type: application/json.",
    ),
    "problem.LPS_WRONG_HOST": (
        "이 서버는 이 컴퓨터의 이름(localhost, 127.0.0.1)으로만 답합니다.",
        "This server answers only to this machine's own names (localhost, 127.0.0.1).",
    ),
    "problem.LPS_BAD_INPUT": ("보낸 값에 잘못이 있습니다.", "Something in the input is wrong."),
    "problem.LPS_INTERNAL": (
        "서버 안에서 오류가 났습니다. 로그를 확인해 주세요.",
        "The server failed. See its log.",
    ),
    "problem.LPS_OVER_BUDGET": (
        "이번 시간 또는 오늘의 예산을 모두 썼습니다. 잠시 뒤에 다시 시도하거나 관리자에게 문의하세요.",
        "The budget of this hour or day is used up. Try again later, or ask the operator.",
    ),
    "problem.LPS_DATABASE_DOWN": (
        "데이터베이스에 연결할 수 없습니다. 잠시 뒤 다시 시도해 주세요.",
        "The database does not answer. Try again shortly.",
    ),
    "problem.LPS_WRONG_SCHEMA": (
        "데이터베이스의 스키마가 이 버전과 맞지 않습니다.",
        "The database has another schema than this version.",
    ),
    "field.required": ("꼭 필요한 값입니다.", "This is required."),
    "field.empty": ("비워 둘 수 없습니다.", "This must not be empty."),
    "field.too_long": ("{limit}자까지 쓸 수 있습니다.", "At most {limit} characters."),
    "field.control_character": (
        "쓸 수 없는 제어 문자가 들어 있습니다.",
        "It holds control characters, which are not allowed.",
    ),
    "field.wrong_type": ("값의 형식이 다릅니다.", "The value has the wrong type."),
    "field.not_a_choice": ("고를 수 없는 값입니다.", "This is none of the choices."),
    "field.out_of_range": ("{low}에서 {high}까지의 수여야 합니다.", "A number from {low} to {high}."),
    "field.unknown_field": ("모르는 항목입니다.", "There is no such field."),
    "field.not_json": ("올바른 JSON이 아닙니다.", "This is not valid JSON."),
    "field.not_json_type": ("application/json이어야 합니다.", "It must be application/json."),
    "field.unusable": ("이 상품으로는 검색할 수 없습니다.", "This cannot be searched for."),
    "field.too_small": ("{limit} 이상이어야 합니다.", "At least {limit}."),
    "field.too_big": ("{limit} 이하여야 합니다.", "At most {limit}."),
    "field.wrong_form": ("값의 형식이 다릅니다.", "The value is written in another form than is asked for."),
    "field.not_an_address": ("읽을 수 있는 https 주소가 아닙니다.", "This is no https address that can be read."),
    "field.not_https": ("https://로 시작해야 합니다.", "It should begin with https://."),
    "field.login": ("주소에 로그인 정보를 넣을 수 없습니다.", "An address must not hold a login."),
    "field.bad_port": ("쓸 수 없는 포트입니다.", "This port cannot be called."),
    "field.not_public": ("인터넷에서 볼 수 있는 주소가 아닙니다.", "This is not an address on the internet."),
    "field.too_many_bytes": ("{limit} kB까지 보낼 수 있습니다.", "At most {limit} kB."),
    "field.twice": ("한 번만 보낼 수 있는 값입니다.", "This may stand only once."),
    "field.not_text": ("UTF-8 글자가 아닌 것이 들어 있습니다.", "It holds what is not UTF-8."),
}
