import { complexType, edm, entityType, enumType, type ResultOf } from "odatakit";

const Mode = enumType("Mode", { Foot: 0, Bus: 1, Train: 2 });
const Service = enumType("Service", { None: 0, Food: 1, Sleep: 2 }, { isFlags: true });
const Leg = complexType("Leg", { km: edm.decimal(), mode: edm.enum(Mode), notes: edm.collection(edm.string()) });
const Stop = complexType("Stop", {
  city: edm.string().nullable(),
  legs: edm.collection(edm.complex(Leg)),
  secret: edm.string().ignored(),
});
const Plan = complexType("Plan", { tags: edm.collection(edm.string()) });
/** An entity type with a collection of each kind of items. */
export const Trip = entityType("Trip", {
  id: edm.int32().key(),
  name: edm.string(),
  distance: edm.decimal(),
  limit: edm.int64(),
  tags: edm.collection(edm.string().nullable()),
  numbers: edm.collection(edm.int64()),
  prices: edm.collection(edm.decimal()),
  ratios: edm.collection(edm.double()),
  days: edm.collection(edm.date()),
  moments: edm.collection(edm.dateTimeOffset()),
  spans: edm.collection(edm.duration()),
  guids: edm.collection(edm.guid()),
  octets: edm.collection(edm.binary()),
  flags: edm.collection(edm.boolean().nullable()),
  modes: edm.collection(edm.enum(Mode)),
  services: edm.collection(edm.enum(Service)),
  stops: edm.collection(edm.complex(Stop)),
  maybeStops: edm.collection(edm.complex(Stop).nullable()),
  plan: edm.complex(Plan).nullable(),
});
export type TripRow = ResultOf<typeof Trip>;

const EMPTY = {
  tags: [],
  numbers: [],
  prices: [],
  ratios: [],
  days: [],
  moments: [],
  spans: [],
  guids: [],
  octets: [],
  flags: [],
  modes: [],
  services: [],
  stops: [],
  maybeStops: [],
} as const;
const GUID = "0B0B0B0B-0000-4000-8000-00000000000A";

export const TRIPS: readonly TripRow[] = [
  {
    ...EMPTY,
    id: 1,
    name: "north",
    distance: "10.0",
    limit: 5n,
    tags: ["x", "y", "north"],
    numbers: [5n, 9_007_199_254_740_993n],
    prices: ["1.10", "2"],
    ratios: [0.5, Number.NaN],
    days: ["2024-02-29", "2024-12-31"],
    moments: ["2024-02-29T10:00:00+02:00", new Date("2024-03-01T00:00:00Z")],
    spans: ["PT36H"],
    guids: [GUID],
    octets: [Uint8Array.of(1, 2, 3)],
    flags: [true, true],
    modes: ["Bus", "Train"],
    services: ["Food,Sleep"],
    stops: [
      { city: "Oslo", legs: [{ km: "12.5", mode: "Train", notes: ["late"] }], secret: "s" },
      {
        city: "Bergen",
        legs: [
          { km: "4", mode: "Foot", notes: [] },
          { km: "11", mode: "Bus", notes: ["x"] },
        ],
      },
    ],
    maybeStops: [null, { city: "Oslo", legs: [] }],
    plan: { tags: ["x"] },
  },
  {
    ...EMPTY,
    id: 2,
    name: "south",
    distance: "100",
    limit: -1n,
    tags: ["x", null],
    numbers: [-1n],
    prices: ["1.1"],
    flags: [true, null, false],
    modes: ["Foot"],
    services: ["None", "Food"],
    stops: [
      { city: null, legs: [{ km: "99.5", mode: "Bus", notes: ["late", "south"] }] },
      { city: "Rome", legs: [] },
    ],
    plan: { tags: [] },
  },
  { ...EMPTY, id: 3, name: "none", distance: "0", limit: 0n, plan: null },
  // Collections and complex values that a handler leaves out.
  { id: 4, name: "bare", distance: "0", limit: 0n, tags: null } as unknown as TripRow,
];

/** A filter, and the keys of the trips that it leaves. */
type Case = readonly [filter: string, ids: readonly number[]];

/** Cases of any, all and `in` for items of each kind. */
export const LAMBDA_CASES: readonly Case[] = [
  // Without a predicate: whether there is an item.
  ["Tags/any()", [1, 2]],
  ["not Tags/any()", [3, 4]],
  ["Stops/any()", [1, 2]],
  ["Plan/Tags/any()", [1]],
  ["$it/Tags/any()", [1, 2]],
  ["tags/any()", [1, 2]],
  ["Tags/any( )", [1, 2]],
  // Items of each kind.
  ["Tags/any(t:t eq 'y')", [1]],
  ["Tags/any( t : t eq 'y' )", [1]],
  ["Tags/any(t:tolower(t) eq 'x' and length(t) eq 1)", [1, 2]],
  ["Tags/any(t:startswith(t,'nor'))", [1]],
  ["Tags/any(Tags:Tags eq 'y')", [1]],
  ["Tags/any(Name:Name eq 'y')", [1]],
  ["Numbers/any(n:n eq 9007199254740993)", [1]],
  ["Numbers/any(n:n eq 9007199254740992)", []],
  ["Numbers/any(n:n add 1 eq 0)", [2]],
  ["Numbers/any(n:n eq Limit)", [1, 2]],
  ["Prices/any(p:p eq 1.1)", [1, 2]],
  ["Prices/any(p:p mul 2 eq 4)", [1]],
  ["Ratios/any(r:r ne r)", [1]],
  ["Ratios/any(r:r lt 1)", [1]],
  ["Days/any(d:d gt 2024-06-01)", [1]],
  ["Days/all(d:year(d) eq 2024)", [1, 2, 3, 4]],
  ["Moments/any(m:m eq 2024-02-29T08:00:00Z)", [1]],
  ["Moments/any(m:m eq 2024-03-01T00:00:00Z)", [1]],
  ["Moments/any(m:m gt now())", []],
  ["Moments/any(m:m eq 2024-03-01)", [1]],
  ["Spans/any(s:s eq duration'P1DT12H')", [1]],
  ["Guids/any(g:g eq 0b0b0b0b-0000-4000-8000-00000000000a)", [1]],
  ["Octets/any(o:o eq binary'AQID')", [1]],
  ["Flags/any(f:f)", [1, 2]],
  ["Flags/any(f:not f)", [2]],
  ["Flags/any(f:f eq null)", [2]],
  ["Modes/any(m:m eq 'Train')", [1]],
  ["Modes/any(m:m eq Kit.Mode'Foot')", [2]],
  ["Services/any(s:s has 'Food')", [1, 2]],
  ["Services/any(s:s has Kit.Service'Food,Sleep')", [1]],
  // all, and empty collections.
  ["Tags/all(t:t eq 'x' or t eq null)", [2, 3, 4]],
  ["Tags/all(t:false)", [3, 4]],
  ["Tags/any(t:true)", [1, 2]],
  ["Plan/Tags/all(t:false)", [2, 3, 4]],
  ["not Plan/Tags/any(t:t eq 'x')", [2, 3, 4]],
  // A predicate that is null is not true.
  ["Flags/all(f:f)", [1, 3, 4]],
  ["Tags/all(t:length(t) ge 1)", [1, 3, 4]],
  ["Tags/any(t:not contains(t,'x'))", [1]],
  ["Tags/all(t:null)", [3, 4]],
  ["Tags/any(t:t eq null)", [2]],
  ["Tags/any(t:t ne 'x')", [1, 2]],
  // Complex items.
  ["Stops/any(s:s/City eq 'Oslo')", [1]],
  ["Stops/any(s:s/city eq null)", [2]],
  ["Stops/all(s:s/City ne null)", [1, 3, 4]],
  ["Stops/any(s:s/Legs/$count gt 1)", [1]],
  ["Stops/any(s:s/Legs/$count eq 0)", [2]],
  ["MaybeStops/any(s:s eq null)", [1]],
  ["MaybeStops/all(s:s ne null)", [2, 3, 4]],
  ["MaybeStops/any(s:s/City eq null)", [1]],
  ["MaybeStops/any(s:s/Legs/any())", []],
  ["MaybeStops/all(s:s/Legs/all(l:false))", [1, 2, 3, 4]],
  ["MaybeStops/any(s:s/Legs/$count eq null)", [1]],
  // Nested, with the outer variables and the entity in reach.
  ["Stops/all(s:s/Legs/any(l:l/Km gt 5 and l/Km gt Distance))", [1, 3, 4]],
  ["Stops/any(s:s/Legs/any(l:l/Mode eq 'Bus' and l/Notes/any(n:n eq $it/Name)))", [2]],
  ["Stops/any(s:s/Legs/any(l:l/Notes/any(n:n eq 'x' and s/City eq 'Bergen' and l/Km eq 11)))", [1]],
  ["Stops/any(s:s/Legs/all(l:l/Notes/any() and s/City eq null))", [2]],
  ["Stops/any(s:Tags/any(t:t eq 'x' and s/City eq 'Rome'))", [2]],
  ["Stops/any(x:x/Legs/any(x:x/Km eq 4) and x/City eq 'Bergen')", [1]],
  ["Tags/any(a:Tags/any(b:a lt b))", [1]],
  // Beside other operators.
  ["Tags/any(t:t eq 'x') and Stops/any(s:s/City eq 'Rome') or Id eq 4", [2, 4]],
  ["Tags/any(t:t eq 'y') eq true", [1]],
  ["Tags/any(t:t eq 'y') ne Flags/any(f:not f)", [1, 2]],
  ["Tags/any(t:t in ('y','z',null))", [1, 2]],
  ["(Tags/any(t:(t eq 'y')))", [1]],
  ["Tags/any(t:t eq @p)&@p='y'", [1]],
  // in with a collection.
  ["'y' in Tags", [1]],
  ["null in Tags", [2]],
  ["Name in Tags", [1]],
  ["Limit in Numbers", [1, 2]],
  ["5 in Numbers", [1]],
  ["1.10 in Prices", [1, 2]],
  ["'Train' in Modes", [1]],
  ["Stops/any(s:'south' in Tags or s/City in Plan/Tags)", []],
  ["Stops/any(s:s/Legs/any(l:'south' in l/Notes))", [2]],
  ["not ('x' in Plan/Tags)", [2, 3, 4]],
];
