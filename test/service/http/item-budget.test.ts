import { arraySource, edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { expect, test } from "vitest";

const BUDGET = 200_000;

const Thing = entityType("Thing", {
  id: edm.int32().key(),
  text: edm.string(),
  tags: edm.collection(edm.string()),
  numbers: edm.collection(edm.int32()),
});

/** @param length the number of items of each list of each of three entities */
function ask(length: number, text = "") {
  const tags = Array.from({ length }, (_none, index) => `t${String(index)}`);
  const numbers = tags.map((_tag, index) => index);
  const rows = [1, 2, 3].map((id) => ({ id, text, tags, numbers }));
  const service = odataService({
    entitySets: [
      entitySet(Thing, { name: "Sources", queryable: () => arraySource(Thing, rows) }),
      entitySet(Thing, { name: "Lists", getAll: () => rows }),
      entitySet(Thing, {
        name: "Parents",
        getAll: () => rows.slice(0, 1),
        navigation: { things: hasMany(Thing, { target: "Sources", get: () => rows }) },
      }),
    ],
  });
  return async (path: string): Promise<readonly [number, unknown]> => {
    const response = await service.fetch(new Request(`http://x/${encodeURI(path)}`));
    const { status } = response;
    const answer = (await response.json()) as { value?: readonly { Id: number }[]; error?: unknown };
    return [status, answer.error ?? answer.value?.map(({ Id }) => Id)];
  };
}

const REFUSED = [
  400,
  {
    code: "InvalidQueryOption",
    message: `'any' and 'all' inspect more than ${String(BUDGET)} items for one entity: start each predicate with a condition that few items meet.`,
  },
] as const;

const NO_TAG = "Tags/any(t:t eq 'x')";

test.each([
  ["Sources", NO_TAG],
  ["Lists", "not Tags/all(t:t ne 'x')"],
  ["Lists", "'x' in Tags"],
])("%s?$filter=%s spends the budget of each entity", async (set, filter) => {
  expect(await ask(BUDGET)(`${set}?$select=Id&$filter=${filter}`)).toEqual([200, []]);
  expect(await ask(BUDGET + 1)(`${set}?$select=Id&$filter=${filter}`)).toEqual(REFUSED);
});

test.each([
  ["an order", `Sources?$select=Id&$orderby=${NO_TAG},Id`],
  ["a later order", `Lists?$select=Id&$orderby=Text,${NO_TAG},Id`],
  ["a count", `Sources/$count?$filter=${NO_TAG}`],
  ["an expansion", `Parents?$select=Id&$expand=Things($select=Id;$filter=${NO_TAG})`],
  ["several operators of one condition", `Lists?$select=Id&$filter=${NO_TAG} or Numbers/any(n:n lt 0)`],
  ["nested operators", "Lists?$select=Id&$filter=Numbers/any(a:a lt 2 and $it/Numbers/any(b:b lt 0))"],
])("%s spends the budget", async (_name, path) => {
  expect(await ask(BUDGET + 1)(path)).toEqual(REFUSED);
});

test("each entity, and each term of an order, has its own budget", async () => {
  const path = `Sources?$select=Id&$filter=${NO_TAG} eq false&$orderby=${NO_TAG},Numbers/any(n:n lt 0),Id desc`;
  expect(await ask(150_000)(path)).toEqual([200, [3, 2, 1]]);
});

test("items after the deciding one are not spent", async () => {
  expect(await ask(BUDGET + 1)("Lists?$select=Id&$filter=Tags/any(t:t eq 't9')")).toEqual([200, [1, 2, 3]]);
});

test("an item with a long predicate counts several times", async () => {
  const calls = (count: number): string =>
    Array.from({ length: count }, (_none, index) => `contains(t,'x${String(index)}')`).join(" or ");
  const path = (count: number): string => `Lists?$select=Id&$filter=Tags/any(t:${calls(count)})`;
  expect(await ask(20_000)(path(3))).toEqual([200, []]);
  expect(await ask(20_000)(path(40))).toEqual(REFUSED);
});

test("a long text that a function of a predicate reads counts as one item for each 256 characters", async () => {
  const path = "Lists?$select=Id&$filter=Tags/any(t:contains($it/Text,concat(t,'!')))";
  expect(await ask(1000, "a".repeat(10_000))(path)).toEqual([200, []]);
  expect(await ask(1000, "a".repeat(100_000))(path)).toEqual(REFUSED);
});
