import {
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
} from "odatakit";
import type { EntitySet, EntityType } from "../../src/edm/model.ts";

/** A service with all variants of properties that readers of bodies distinguish. */

const Level = enumType("Level", { Low: 0, High: 2, Top: 2 });
const Access = enumType("Access", { None: 0, Read: 1, Write: 2, Both: 3 }, { isFlags: true });

const Geo = complexType("Geo", { latitude: edm.double(), name: edm.string().nullable() });
const Address = complexType("Address", {
  street: edm.string({ maxLength: 5 }),
  city: edm.string().nullable(),
  zip: edm.string().default("0000"),
  geo: edm.complex(Geo).nullable(),
  checked: edm.boolean().nullable().computed(),
  secret: edm.string().nullable().ignored(),
  notes: edm.collection(edm.string()),
});

/** One nullable property per type. */
const Every = entityType("Every", {
  id: edm.int32().key(),
  boolean: edm.boolean().nullable(),
  byte: edm.byte().nullable(),
  sByte: edm.sByte().nullable(),
  int16: edm.int16().nullable(),
  int32: edm.int32().nullable(),
  int64: edm.int64().nullable(),
  single: edm.single().nullable(),
  double: edm.double().nullable(),
  decimal: edm.decimal().nullable(),
  money: edm.decimal({ precision: 7, scale: 2 }).nullable(),
  string: edm.string().nullable(),
  short: edm.string({ maxLength: 3 }).nullable(),
  guid: edm.guid().nullable(),
  binary: edm.binary({ maxLength: 4 }).nullable(),
  date: edm.date().nullable(),
  timeOfDay: edm.timeOfDay({ precision: 3 }).nullable(),
  dateTimeOffset: edm.dateTimeOffset().nullable(),
  duration: edm.duration().nullable(),
  level: edm.enum(Level).nullable(),
  access: edm.enum(Access).nullable(),
  address: edm.complex(Address).nullable(),
  strings: edm.collection(edm.string()),
  decimals: edm.collection(edm.decimal().nullable()),
  addresses: edm.collection(edm.complex(Address)),
});

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });

const Order = entityType("Order", {
  id: edm.int64().key().computed(),
  customerId: edm.int32(),
  status: edm.enum(Level).default("Low"),
  note: edm.string().nullable().json("remark"),
  code: edm.string().immutable(),
  origin: edm.string().nullable().immutable(),
  shipTo: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string()),
  version: edm.int32().computed(),
  margin: edm.decimal().nullable().ignored(),
});

const Line = entityType("Line", {
  orderId: edm.int64().key(),
  number: edm.string().key(),
  quantity: edm.int16().default(1),
  price: edm.decimal({ precision: 7, scale: 2 }),
});

/** Keys from the client, and children that repeat them. */
const Trip = entityType("Trip", { id: edm.int32().key(), name: edm.string() });
const Stop = entityType("Stop", { id: edm.int32().key().computed(), tripId: edm.int32(), place: edm.string() });

/** Fields and wire names that every object inherits. */
const Odd = entityType("Odd", {
  constructor: edm.string().key(),
  toString: edm.string().nullable(),
  proto: edm.string().nullable().json("__proto__"),
});

/** A type whose values can be nested without limit, through its navigation. */
const Node = entityType("Node", { id: edm.int32().key(), parentId: edm.int32().nullable() });

/** Related by a declaration of the other side, and by an ignored property. */
const Album = entityType("Album", { id: edm.int32().key(), secret: edm.string().ignored() });
const Track = entityType("Track", { id: edm.int32().key(), albumId: edm.int32(), title: edm.string() });
const Cover = entityType("Cover", { id: edm.int32().key(), albumSecret: edm.string() });

export const service = odataService({
  prefix: "",
  entitySets: [
    entitySet(Every, { name: "Everything", getAll: () => [] }),
    entitySet(Customer, { getAll: () => [] }),
    entitySet(Order, {
      getAll: () => [],
      navigation: {
        customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }),
        second: hasOptional(Customer),
        lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }),
      },
    }),
    entitySet(Line, { getAll: () => [] }),
    entitySet(Trip, {
      getAll: () => [],
      navigation: { stops: hasMany(Stop, { on: { id: "tripId" }, target: "Stops", partner: "trip" }) },
    }),
    entitySet(Stop, {
      getAll: () => [],
      navigation: { trip: hasRequired(Trip, { on: { tripId: "id" }, target: "Trips", partner: "stops" }) },
    }),
    entitySet(Odd, { getAll: () => [] }),
    entitySet(Node, {
      getAll: () => [],
      navigation: { children: hasMany(Node, { on: { id: "parentId" }, target: "Nodes" }) },
    }),
    entitySet(Album, {
      getAll: () => [],
      navigation: {
        tracks: hasMany(Track, { target: "Tracks", partner: "album" }),
        covers: hasMany(Cover, { on: { secret: "albumSecret" }, target: "Covers" }),
      },
    }),
    entitySet(Track, {
      getAll: () => [],
      navigation: { album: hasRequired(Album, { on: { albumId: "id" }, target: "Albums", partner: "tracks" }) },
    }),
    entitySet(Cover, { getAll: () => [] }),
  ],
});

export const { entitySets } = service.model.entityContainer;

export function setOf(name: string): EntitySet {
  const found = entitySets.get(name);
  if (found === undefined) throw new Error(`There is no set ${name}.`);
  return found;
}

export function typeOf(name: string): EntityType {
  return setOf(name).entityType;
}
