import {
  action,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  type EntitySet,
} from "odatakit";

const Access = enumType("Access", { Read: 1, Write: 2, Share: 4 }, { isFlags: true });
const Place = complexType("Place", { name: edm.string(), tags: edm.collection(edm.string()) });
const Thing = entityType("Thing", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  short: edm.string({ maxLength: 10_000_000 }).nullable(),
  bytes: edm.binary().nullable(),
  duration: edm.duration().nullable(),
  guid: edm.guid().nullable(),
  date: edm.date().nullable(),
  instant: edm.dateTimeOffset().nullable(),
  time: edm.timeOfDay().nullable(),
  big: edm.int64().nullable(),
  price: edm.decimal({ precision: 30, scale: 4 }).nullable(),
  double: edm.double().nullable(),
  access: edm.enum(Access).nullable(),
  place: edm.complex(Place).nullable(),
  places: edm.collection(edm.complex(Place)),
  prices: edm.collection(edm.decimal({ precision: 30, scale: 4 })),
  octets: edm.collection(edm.binary()),
});
const Wide = entityType("Wide", {
  id: edm.int32().key(),
  text: edm.string(),
  tags: edm.collection(edm.string()),
  numbers: edm.collection(edm.int32()),
});

const WIDTH = 100_000;
const LONG_TEXT = 100_000;

/** Sets of entities with values of every type, with long values, and with many items. */
export function wideSets(): readonly EntitySet[] {
  const tags = Array.from({ length: WIDTH }, (_, index) => `tag ${String(index)}`);
  const numbers = Array.from({ length: WIDTH }, (_, index) => index);
  const wide = [1, 2, 3].map((id) => ({ id, text: `Wide ${String(id)}`, tags, numbers }));
  const parts = Array.from({ length: 3000 }, (_, index) => ({
    id: 10 + index,
    text: `Part ${String(index)}`,
    tags: [`tag ${String(index)}`],
    numbers: [index],
  }));
  const thing = (id: number, text: string): object => ({ id, text, places: [], prices: [], octets: [] });
  const long = Array.from({ length: 1000 }, (_, index) => thing(index, "line\n".repeat(LONG_TEXT / 5)));
  return [
    entitySet(Thing, {
      name: "Things",
      etag: ["text"],
      getByKey: (id) => thing(id, "text") as never,
      create: (given) => ({ ...given, id: 1 }),
      patch: (_id, delta) => Object.assign(thing(1, "text"), delta) as never,
    }),
    entitySet(Thing, {
      name: "Long",
      getAll: () => long as never,
      getByKey: (id) => thing(id, "line\n".repeat(5_000_000)) as never,
    }),
    entitySet(Wide, {
      name: "Wides",
      queryable: () => arraySource(Wide, wide),
      navigation: {
        parts: hasMany(Wide, { target: "Parts", get: () => parts }),
      },
    }),
    entitySet(Wide, {
      name: "Parts",
      queryable: () => arraySource(Wide, parts),
      getByKey: (id) => parts[id - 10] ?? null,
      navigation: {
        parts: hasMany(Wide, { target: "Parts", get: () => parts.slice(0, 2) }),
      },
    }),
  ];
}

/** A function with a long parameter. */
export const tagged = fn({
  params: { tags: edm.collection(edm.string()) },
  returns: edm.int32(),
  handler: ({ tags }) => tags.length,
});

/** An action with long parameters. */
export const label = action({
  params: { tags: edm.collection(edm.string()), text: edm.string().default("") },
  returns: edm.collection(edm.string()),
  handler: ({ tags }) => tags,
});
