import { edm, entitySet, entityType, enumType, odataService, reloadable, servicesFetch, singleton } from "odatakit";
import { describe, expect, test, vi } from "vitest";
import { nodeDoor, type Send } from "../http/doors.ts";
import { noFailures } from "../http/model.ts";

const Color = enumType("Color", { Red: 0, Blue: 1 });

/** Builders of keys with their values. */
const KEYS = [
  [edm.string(), "plain"],
  [edm.string(), "a'b/c%25 (ü)=1,@x?#+&\u{1F600}"],
  [edm.string(), ""],
  [edm.string(), "@p"],
  [edm.int64(), 9_007_199_254_740_993n],
  [edm.int32(), -5],
  [edm.boolean(), false],
  [edm.guid(), "01234567-89ab-cdef-0123-456789abcdef"],
  [edm.date(), "2024-02-29"],
  [edm.dateTimeOffset({ precision: 3 }), "2024-02-29T23:59:59.999Z"],
  [edm.decimal(), "1.50"],
  [edm.duration(), "PT1H"],
  [edm.enum(Color), "Blue"],
] as const;

function sends(entitySets: Parameters<typeof odataService>[0]["entitySets"], me: ReturnType<typeof singleton>): Send {
  return nodeDoor.to(odataService({ prefix: "/odata", logger: noFailures, entitySets, singletons: [me] }));
}

describe("the key of a singleton", () => {
  test.each(KEYS)("%# reaches the handler of the set as it is", async (builder, value) => {
    const Thing = entityType("Thing", { id: builder.key(), name: edm.string() });
    const getByKey = vi.fn((id: unknown) => ({ id: id as never, name: "found" }));
    const things = entitySet(Thing, { getByKey });
    const send = sends([things], singleton(Thing, { name: "Me", from: things, key: () => value as never }));
    const byName = await send("/odata/Me?$select=Name");
    expect([byName.status, byName.json?.Name]).toEqual([200, "found"]);
    const keyed = await send(new URL(byName.json["@odata.id"] as string).pathname);
    expect(keyed.json).toMatchObject({ Name: "found" });
    const [[first] = [], [second] = []] = getByKey.mock.calls;
    expect([first, second]).toEqual([value, value]);
  });

  test("has several parts", async () => {
    const Part = entityType("Part", { order: edm.int32().key(), no: edm.string().key(), text: edm.string() });
    const parts = entitySet(Part, { getByKey: (key) => ({ ...key, text: "found" }) });
    const send = sends(
      [parts],
      singleton(Part, { name: "Last", from: parts, key: () => ({ order: 1, no: "a=1,b'" }) }),
    );
    expect((await send("/odata/Last")).json).toMatchObject({ Order: 1, No: "a=1,b'", Text: "found" });
  });

  test("of another type is a failure of the application", async () => {
    const Thing = entityType("Thing", { id: edm.int32().key() });
    const things = entitySet(Thing, { getByKey: (id) => ({ id }) });
    const logger = { ...noFailures, error: vi.fn() };
    for (const key of ["one", {}, 1.5]) {
      const me = singleton(Thing, { name: "Me", from: things, key: () => key as never });
      const service = odataService({ prefix: "/odata", logger, entitySets: [things], singletons: [me] });
      expect((await nodeDoor.to(service)("/odata/Me")).status).toBe(500);
    }
    expect(logger.error).toHaveBeenCalledTimes(3);
  });
});

test("services of one server have singletons of one name, also after a reload", async () => {
  const Thing = entityType("Thing", { id: edm.int32().key() });
  const things = entitySet(Thing, { getByKey: (id) => ({ id }) });
  const serviceOf = (name: string, id: number) =>
    odataService({
      name,
      entitySets: [things],
      singletons: [singleton(Thing, { name: "Me", from: things, key: () => id })],
    });
  const second = reloadable(serviceOf("two", 2));
  const fetchOf = servicesFetch([serviceOf("one", 1), second]);
  const read = async (path: string): Promise<unknown> =>
    ((await (await fetchOf(new Request(`http://localhost${path}`))).json()) as { readonly Id: unknown }).Id;
  expect([await read("/one/Me"), await read("/two/Me")]).toEqual([1, 2]);
  await second.replace(serviceOf("two", 3));
  expect([await read("/one/Me"), await read("/two/Me")]).toEqual([1, 3]);
});
