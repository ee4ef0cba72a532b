"""Files of products: the columns beside each row, and what a file may be refused for."""

from __future__ import annotations

BULK: dict[str, tuple[str, str]] = {
    "bulk.state": ("결과", "Result"),
    "bulk.price": ("최저가(배송비 포함)", "Lowest, shipping included"),
    "bulk.item": ("상품가", "Item"),
    "bulk.shipping": ("배송비", "Shipping"),
    "bulk.mall": ("몰", "Mall"),
    "bulk.seller": ("판매자", "Seller"),
    "bulk.title": ("찾은 상품명", "Offer"),
    "bulk.unit": ("단가", "Unit price"),
    "bulk.confidence": ("확신도", "Confidence"),
    "bulk.url": ("주소", "Address"),
    "bulk.at": ("조회 시각", "Searched at"),
    "bulk.job": ("검색 번호", "Search id"),
    "bulk.note": ("비고", "Note"),
    "bulk.error": ("입력 오류", "input error"),
    "bulk.waiting": ("검색 전", "not searched yet"),
    "bulk.same_as": ("{n}행과 같은 상품", "the same product as in row {n}"),
    "bulk.incomplete": ("읽지 못한 몰이 있음", "not every mall could be read"),
    "problem.LPS_BAD_FILE": ("파일을 읽을 수 없습니다.", "The file cannot be read."),
    "problem.LPS_BATCH_NOT_FOUND": ("그런 일괄 검색이 없습니다.", "There is no such batch."),
    "field.not_a_table": ("표가 아닙니다. CSV나 XLSX를 보내 주세요.", "This is no table. Send CSV or XLSX."),
    "field.utf16": (
        "UTF-16 파일입니다. 엑셀에서 'CSV UTF-8'로 다시 저장해 주세요.",
        "This file is UTF-16. Save it again as “CSV UTF-8”.",
    ),
    "field.encoding": (
        "UTF-8도 CP949도 아닌 글자가 들어 있습니다. 'CSV UTF-8'로 다시 저장해 주세요.",
        "It is neither UTF-8 nor CP949. Save it again as “CSV UTF-8”.",
    ),
    "field.old_excel": (
        "옛 엑셀(.xls)이거나 암호가 걸린 파일입니다. 암호 없는 .xlsx로 저장해 주세요.",
        "This is an old Excel file (.xls) or has a password. Save it as .xlsx without one.",
    ),
    "field.too_large": ("{limit} MB까지 보낼 수 있습니다.", "At most {limit} MB."),
    "field.too_many_rows": ("{limit}행까지 보낼 수 있습니다.", "At most {limit} rows."),
    "field.too_many_columns": ("열은 {limit}개까지입니다.", "At most {limit} columns."),
    "field.empty_file": ("제목 줄 아래에 행이 없습니다.", "There is no row below the header."),
    "field.broken": ("파일이 깨졌습니다.", "The file is broken."),
    "field.no_name_column": (
        "'상품명' 열이 없습니다. 첫 줄에 열 이름(상품명, 규격, 상품코드)을 적어 주세요.",
        "There is no column “product_name”. Put the names (product_name, specification, product_code) into the first row.",
    ),
}
