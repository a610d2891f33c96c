import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { expect, test } from "vitest";

/** The sort keys that a list in memory computes have at most 64 million characters together. */

const Text = entityType("Text", { id: edm.int32().key(), text: edm.string() });

function send(rows: number, length: number, query: string): Promise<Response> {
  const all = Array.from({ length: rows }, (_, index) => ({ id: index + 1, text: "x".repeat(length) }));
  const service = odataService({
    entitySets: [entitySet(Text, { name: "Texts", queryable: () => arraySource(Text, all) })],
  });
  return service.fetch(new Request(`http://service.example/Texts?$select=Id&${query}`));
}

const ALIASES = "@c=concat(@b,@b)&@b=concat(@a,@a)&@a=concat(Text,Text)";

test.each([
  [8, 1_000_000, `$orderby=@c&${ALIASES}`],
  [4, 1_000_000, `$orderby=@c desc,@c&${ALIASES}`],
  [40, 2_000_000, "$orderby=Text"],
])("%i rows of %i characters are ordered: %s", async (rows, length, query) => {
  const response = await send(rows, length, query);
  expect(response.status).toBe(200);
  const ids = Array.from({ length: rows }, (_, index) => ({ Id: index + 1 }));
  expect(await response.json()).toEqual({ "@odata.context": "http://service.example/$metadata#Texts(Id)", value: ids });
});

test.each([
  [9, 1_000_000, `$orderby=@c&${ALIASES}`],
  [60, 1_000_000, `$orderby=@c&$top=1&${ALIASES}`],
  [5, 1_000_000, `$orderby=@c,@c desc&${ALIASES}`],
  [9, 1_000_000, `$orderby=length(Text),@c&${ALIASES}`],
])("%i rows of %i characters are refused: %s", async (rows, length, query) => {
  const response = await send(rows, length, query);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: {
      code: "InvalidQueryOption",
      message:
        "The texts that $orderby computes have more than 64000000 characters together: order by a property, or filter by a condition that fewer entities meet.",
    },
  });
});

const TOGETHER =
  "The texts that a query computes from one entity have at most 64000000 bytes, and each function an equal share: call fewer functions, or combine shorter texts.";
const READ =
  "The functions of the query read more than 20000000 characters of one entity: call fewer functions of long texts.";

test.each([
  [22_000_000, "contains(concat(concat(Text,Text),Text),'y')", TOGETHER],
  [33_000_000, "concat(Text,Text) eq 'y'", TOGETHER],
  [22_000_000, "length(toupper(Text)) eq 1", READ],
])("a function of a text of %i characters is refused: %s", async (length, filter, message) => {
  const text = "\u0390".repeat(length);
  const service = odataService({
    entitySets: [entitySet(Text, { name: "Texts", queryable: () => arraySource(Text, [{ id: 1, text }]) })],
  });
  const response = await service.fetch(
    new Request(`http://service.example/Texts?$filter=${encodeURIComponent(filter)}`),
  );
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: {
      code: "InvalidQueryOption",
      message,
    },
  });
});
