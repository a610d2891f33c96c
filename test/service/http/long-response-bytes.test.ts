import { arraySource, edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { expect, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

/** Pages that are written while they are read, and entities that are written in pieces. */
const KINDS: ReadonlyArray<readonly [kind: string, count: number, text: string, most: number]> = [
  ["many short entities", 4000, "é€😀x".repeat(20), 100_000],
  ["a few entities of 600 kB", 5, "long ".repeat(120_000), 1_500_000],
  ["a few entities of 600 kB with escapes", 4, '"\u0001'.repeat(100_000), 900_000],
];

function serviceOf(count: number, text: string, most: number | null, form: "getAll" | "queryable"): ODataService {
  const rows = Array.from({ length: count }, (_, id) => ({ id, text }));
  const handlers = form === "getAll" ? { getAll: () => rows } : { queryable: () => arraySource(Note, rows) };
  return odataService({
    entitySets: [entitySet(Note, { name: "Notes", ...handlers })],
    defaults: { maxTop: 10_000, maxResponseBytes: most, queryTimeout: null },
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  });
}

interface Page {
  readonly value: readonly unknown[];
  readonly "@odata.nextLink"?: string;
}

async function pagesOf(service: ODataService, first: string): Promise<readonly (readonly [Page, number])[]> {
  const pages: (readonly [Page, number])[] = [];
  for (let next: string | undefined = first; next !== undefined;) {
    const response = await service.fetch(new Request(new URL(next, "http://x/")));
    const text = await response.text();
    expect([response.status, text.slice(0, 200)]).toEqual([200, text.slice(0, 200)]);
    const page = JSON.parse(text) as Page;
    pages.push([page, new TextEncoder().encode(text).length]);
    next = page["@odata.nextLink"];
  }
  return pages;
}

test.each(KINDS.flatMap((kind) => (["getAll", "queryable"] as const).map((form) => [...kind, form] as const)))(
  "%s: linked pages have each entity once, and keep the limit",
  async (_kind, count, text, most, form) => {
    for (const query of ["Notes", `Notes?$top=${String(count - 1)}&$skip=1`, "Notes?$count=true"]) {
      const [whole, parts] = [serviceOf(count, text, null, form), serviceOf(count, text, most, form)];
      const all = (await pagesOf(whole, query)).flatMap(([{ value }]) => value);
      const pages = await pagesOf(parts, query);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flatMap(([{ value }]) => value)).toEqual(all);
      // Besides the entities, a page has its context and link.
      for (const [, bytes] of pages) expect(bytes).toBeLessThan(most + 1000);
    }
  },
);

test("an entity that no page can contain is 400", async () => {
  const service = serviceOf(3, "long ".repeat(120_000), 500_000, "getAll");
  const response = await service.fetch(new Request("http://x/Notes"));
  const { error } = (await response.json()) as { readonly error: { readonly code: string; readonly message: string } };
  expect([response.status, error.code]).toEqual([400, "InvalidQueryOption"]);
  expect(error.message).toContain("maxResponseBytes");
});
