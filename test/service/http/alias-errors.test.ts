import { edm, entitySet, entityType, odataService } from "odatakit";
import { expect, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), date: edm.date() });
const service = odataService({ entitySets: [entitySet(Note, { getAll: () => [], getByKey: () => null })] });

// Twice, because a cached shape must return the same response.
test.each([1, 2])("a wrong value in a parameter alias is placed where the alias is mentioned (%s)", async () => {
  const wrong: ReadonlyArray<readonly [string, RegExp]> = [
    ["$filter=Id div @p eq 1&@p=0", /^\$filter at position 7: The divisor must not be zero/],
    ["$filter=Date eq @day&@day=2024-02-30", /^\$filter at position 8: "2024-02-30" is not an Edm\.Date/],
    ["$filter=Date in (2024-02-29,@day)&@day=2024-02-30", /^\$filter at position 20: /],
    ["$filter=Id eq 1 or @all&@all=Id eq 1 and Date eq @day&@day=2024-02-30", /^\$filter at position 11: /],
    ["$filter=Date eq 2024-02-30", /^\$filter at position 8: /],
  ];
  await service.fetch(new Request("http://service.example/Notes?$filter=Date eq @day&@day=2024-02-29"));
  for (const [query, message] of wrong) {
    const response = await service.fetch(new Request(`http://service.example/Notes?${query}`));
    const { error } = (await response.json()) as { error: { code: string; message: string; target: string } };
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ code: "InvalidQueryOption", target: error.message.split(" ", 1)[0] });
  }
});

test.each([
  ["a key", "Notes(@key)", "InvalidKey", "key"],
  ["a list", "Notes?$filter=Id in @list", "InvalidQueryOption", "$filter"],
  ["an alias that contains itself", "Notes?$filter=Id eq @p&@p=@p", "InvalidQueryOption", "@p"],
])("rejects an alias without a value as %s", async (_name, path, code, target) => {
  const response = await service.fetch(new Request(`http://service.example/${path}`));
  const { error } = (await response.json()) as { error: object };
  expect(response.status).toBe(400);
  expect(error).toMatchObject({ code, target });
});
