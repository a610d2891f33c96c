import { edm, entitySet, entityType, hasMany, odataService, type Principal } from "odatakit";
import { expect, test } from "vitest";
import { headersOf } from "../../service/http/doors.ts";

/** A set without rules leads to a set with rules. The letters of a missing folder may still exist. */

const Letter = entityType("Letter", { id: edm.int32().key(), owner: edm.string() });
const Folder = entityType("Folder", { id: edm.int32().key() });
const HIDDEN = { id: 1, owner: "ada" };

/** Makes a service whose links come from the batch handler. */
function serviceWith(links: ReadonlyMap<number, ReadonlyArray<typeof HIDDEN>>) {
  return odataService({
    authenticate: (): Principal => ({ id: "ben" }),
    entitySets: [
      entitySet(Letter, {
        getAll: () => [HIDDEN],
        getByKey: () => HIDDEN,
        authorization: { rows: ({ id }, letter) => letter.owner.eq(id ?? "") },
      }),
      entitySet(Folder, {
        getAll: () => [{ id: 7 }],
        getByKey: (key) => (key === 7 ? { id: 7 } : null),
        navigation: { letters: hasMany(Letter, { target: "Letters", getBatch: () => links }) },
      }),
    ],
  });
}

test.each([
  ["Folders(8)/Letters", 404],
  ["Folders(8)/Letters/$count", 404],
  ["Folders(8)/Letters/$ref", 404],
  ["Folders(8)/Letters(1)", 404],
  ["Folders(7)/Letters", 200],
  ["Folders(7)/Letters/$count", 200],
  ["Folders(7)/Letters/$ref", 200],
  ["Folders(7)/Letters(1)", 404],
  ["Folders?$expand=Letters", 200],
])("%s is answered alike, whatever hidden letters there are", async (target, status) => {
  const answers = [
    serviceWith(new Map([7, 8].map((folder) => [folder, [HIDDEN]] as const))),
    serviceWith(new Map([7, 8].map((folder) => [folder, []] as const))),
    serviceWith(new Map()),
  ].map(async (service) => {
    const response = await service.fetch(new Request(`http://service.example/${target}`));
    return [response.status, headersOf(response), await response.text()] as const;
  });
  const [first, ...others] = await Promise.all(answers);
  expect(first?.[0]).toBe(status);
  for (const other of others) expect(other).toEqual(first);
});
