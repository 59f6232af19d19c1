# SPDX-License-Identifier: Apache-2.0
"""Uses the generated Python client as an API user would: client_test.py URL KEY TIGHT_KEY WRITE_KEY.

TIGHT_KEY is a key of a plan with few requests per minute, WRITE_KEY has the scope "write". The kbase serves the manual.
"""
import io
import json
import sys

from kbase_client import AuthenticatedClient, Client
from kbase_client.api.categories import get_category, list_categories
from kbase_client.api.external import complete_prompt, get_code_host_user
from kbase_client.api.items import get_item, list_popular_items, list_recent_items, list_related_items
from kbase_client.api.search import search_items, suggest_queries
from kbase_client.api.service import get_health, get_interface_description, get_statistics
from kbase_client.api.writing import delete_item, import_items, put_item
from kbase_client.models import (
    CategoriesResponse,
    CategoryResponse,
    CompletionResponse,
    CompletionRequest,
    Health,
    ImportResponse,
    InterfaceDescription,
    ItemDraft,
    ItemResponse,
    ListPopularItemsPeriod,
    PopularItemsResponse,
    Problem,
    ProblemErrorCode,
    RateLimitProblem,
    RecentItemsResponse,
    RelatedItemsResponse,
    SearchResponse,
    SearchItemsFacetsItem,
    SearchItemsMatch,
    StatisticsResponse,
    StreamDelta,
    StreamDone,
    SuggestionKind,
    SuggestionsResponse,
    UserResponse,
    WriteReportOutcome,
    WriteResponse,
)
from kbase_client.types import UNSET, File


def test_search_page_by_page(client: AuthenticatedClient) -> None:
    found: list[str] = []
    offset: int | None = 0
    pages = 0
    while offset is not None:
        response = search_items.sync_detailed(client=client, q="rate limit", limit=3, offset=offset,
                                              match=SearchItemsMatch.ANY)
        page = response.parsed
        assert isinstance(page, SearchResponse), page
        assert response.headers["X-Search-Match"] == "any"
        assert int(response.headers["X-RateLimit-Remaining"]) >= 0
        found += [result.id for result in page.data]
        assert all(0 <= result.relevance <= 1 for result in page.data)
        pages += 1
        offset = page.pagination.next_offset
        if pages == 4:
            break
    assert pages == 4 and len(found) == len(set(found)) == 12


def test_additions_to_search(client: AuthenticatedClient) -> None:
    page = search_items.sync(client=client, q="rate limit", tag=["limits"], facets=[SearchItemsFacetsItem.CATEGORY],
                             highlight=True)
    assert isinstance(page, SearchResponse) and page.facets and page.facets.category
    assert sum(each.count for each in page.facets.category) == page.pagination.total
    first = page.data[0]
    assert first.excerpt_parts and "".join(part.text for part in first.excerpt_parts) == first.excerpt
    suggestions = suggest_queries.sync(client=client, q="rate li")
    assert isinstance(suggestions, SuggestionsResponse)
    assert {each.kind for each in suggestions.data} == {SuggestionKind.QUERY, SuggestionKind.TITLE}
    related = list_related_items.sync("guide/compression", client=client, limit=50)
    assert isinstance(related, RelatedItemsResponse) and {each.stored for each in related.data} == {True, False}


def test_rejected_parameter(client: AuthenticatedClient) -> None:
    problem = search_items.sync(client=client, q="a")
    assert isinstance(problem, Problem) and problem.error.code == ProblemErrorCode.INVALID_PARAMETER
    assert problem.error.details and problem.error.details["parameter"] == "q"


def test_items(client: AuthenticatedClient) -> None:
    response = get_item.sync_detailed("guide/compression", client=client)
    item = response.parsed
    assert isinstance(item, ItemResponse), item
    assert item.data.title == "Compression" and item.data.metadata.views >= 0
    again = get_item.sync_detailed("guide/compression", client=client, if_none_match=response.headers["ETag"])
    assert again.status_code == 304 and again.parsed is None
    related = get_item.sync(item.data.related[0], client=client)
    assert isinstance(related, ItemResponse), related
    for strange in ("no such/item?", "ünknown"):
        missing = get_item.sync(strange, client=client)
        assert isinstance(missing, Problem) and missing.error.code == ProblemErrorCode.NOT_FOUND


def test_lists(client: AuthenticatedClient) -> None:
    categories = list_categories.sync(client=client, include_counts=False)
    assert isinstance(categories, CategoriesResponse) and categories.data[0].item_count is UNSET
    category = get_category.sync(categories.data[0].id, client=client, include_items=True, limit=2)
    assert isinstance(category, CategoryResponse) and category.data.items and len(category.data.items) == 2
    popular = list_popular_items.sync(client=client, period=ListPopularItemsPeriod.ALL, limit=3)
    assert isinstance(popular, PopularItemsResponse) and len(popular.data) == 3
    recent = list_recent_items.sync(client=client)
    assert isinstance(recent, RecentItemsResponse) and len(recent.data) == 10
    statistics = get_statistics.sync(client=client)
    assert isinstance(statistics, StatisticsResponse)
    assert len(statistics.data.daily_activity.additional_properties) == 30
    document = get_interface_description.sync(client=client)
    assert isinstance(document, InterfaceDescription) and document.openapi.startswith("3.1.")


def test_keys(url: str) -> None:
    bad = AuthenticatedClient(base_url=url, token="kb_nothing")
    response = list_recent_items.sync_detailed(client=bad)
    assert response.status_code == 401 and response.headers["WWW-Authenticate"].startswith("Bearer")
    assert isinstance(response.parsed, Problem) and response.parsed.error.code == ProblemErrorCode.UNAUTHORIZED


def test_quota(url: str, tight_key: str) -> None:
    client = AuthenticatedClient(base_url=url, token=tight_key)
    for _ in range(1000):
        response = list_recent_items.sync_detailed(client=client, limit=1)
        if response.status_code == 429:
            break
    problem = response.parsed
    assert isinstance(problem, RateLimitProblem), problem
    assert problem.error.details.limit == int(response.headers["X-RateLimit-Limit"])
    assert int(response.headers["Retry-After"]) >= 1


def test_external(client: AuthenticatedClient, keyless: Client) -> None:
    health = get_health.sync(client=client)
    assert isinstance(health, Health) and health.version
    user = get_code_host_user.sync("ada", client=client)
    if health.services.external_apis.codehost == "available":
        assert isinstance(user, UserResponse) and user.data.profile.username == "ada"
    else:
        assert isinstance(user, Problem) and user.error.code == ProblemErrorCode.SERVICE_UNAVAILABLE

    prompt = CompletionRequest(prompt="Why is the sky blue?", max_tokens=50)
    # The generator declares the key as required wherever it is optional; its code works with either kind of client.
    rejected = complete_prompt.sync_detailed(client=keyless, body=prompt)  # type: ignore[arg-type]
    assert rejected.status_code == 401
    assert get_health.sync_detailed(client=keyless).status_code == 200  # type: ignore[arg-type]
    response = complete_prompt.sync_detailed(client=client, body=prompt)
    if health.services.external_apis.llm != "available":
        assert response.status_code == 503 and int(response.headers["Retry-After"]) >= 1
        return
    assert isinstance(response.parsed, CompletionResponse)
    assert read_stream(client, prompt) == response.parsed.data.completion


def read_stream(client: AuthenticatedClient, prompt: CompletionRequest) -> str:
    """The generated client only supports complete responses; the events' schemas are its own."""
    prompt.stream = True
    text = ""
    done: StreamDone | None = None
    with client.get_httpx_client().stream("POST", "/external/llm", json=prompt.to_dict()) as response:
        assert response.headers["Content-Type"] == "text/event-stream"
        event = ""
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event == "delta":
                text += StreamDelta.from_dict(json.loads(value)).text
            elif name == "data":
                assert event == "done", line
                done = StreamDone.from_dict(json.loads(value))
    assert done and done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens
    return text


def test_writing(client: AuthenticatedClient) -> None:
    draft = ItemDraft(title="Written", category="guide", content="Written by a client.")
    created = put_item.sync_detailed("written/python", client=client, body=draft, if_none_match="*")
    assert created.status_code == 201 and isinstance(created.parsed, WriteResponse)
    assert created.parsed.data.outcome == WriteReportOutcome.CREATED
    refused = put_item.sync_detailed("written/python", client=client, body=draft, if_none_match="*")
    assert refused.status_code == 412 and isinstance(refused.parsed, Problem)
    assert refused.parsed.error.code == ProblemErrorCode.PRECONDITION_FAILED
    tag = created.headers["ETag"]
    assert delete_item.sync_detailed("written/python", client=client, if_match=tag).status_code == 204
    lines = [{"id": f"written/{number}", "title": "Line", "category": "guide"} for number in range(3)]
    body = File(payload=io.BytesIO("\n".join(map(json.dumps, lines)).encode()))
    report = import_items.sync(client=client, body=body, source="python")
    assert isinstance(report, ImportResponse) and report.data.added == 3 and not report.data.rejections
    emptied = import_items.sync(client=client, body=File(payload=io.BytesIO()), source="python", prune=True, prune_limit=100)
    assert isinstance(emptied, ImportResponse) and emptied.data.removed == 3


def main(url: str, key: str, tight_key: str, write_key: str) -> None:
    client = AuthenticatedClient(base_url=url, token=key)
    keyless = Client(base_url=url)
    test_search_page_by_page(client)
    test_additions_to_search(client)
    test_rejected_parameter(client)
    test_items(client)
    test_lists(client)
    test_keys(url)
    test_external(client, keyless)
    test_writing(AuthenticatedClient(base_url=url, token=write_key))
    test_quota(url, tight_key)
    print("the Python client works")


if __name__ == "__main__":
    main(*sys.argv[1:])
