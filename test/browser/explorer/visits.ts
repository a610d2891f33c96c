import { encodeSegment } from "../../../explorer/src/query/literals.ts";
import { type ScreenName, hrefOf, viewOf } from "../../../explorer/src/state/view.ts";
import { SIGNS } from "./hostile-service.ts";

/** A name, a screen, a path, and options. */
type Row = readonly [
  name: string,
  screen: ScreenName,
  path?: string,
  options?: Readonly<Record<string, string>>,
  refused?: string,
];

/** One view that the tests open. */
export interface Visit {
  readonly name: string;
  readonly fragment: string;
  /** The status of a response that is not a fault of the page. */
  readonly refused: string | null;
}

const toVisit = ([name, screen, path = "", options = {}, refused]: Row): Visit => ({
  name,
  fragment: hrefOf(viewOf(screen, path, Object.entries(options))),
  refused: refused ?? null,
});

const ODD = encodeSegment(`'${SIGNS.replaceAll("'", "''")}'`);
const PAIR = `Pairs(Guid=01234567-89ab-cdef-0123-456789abcdef,Text=${ODD},Day=2024-02-29)`;

/** Every screen over the world, with one trip and one stop. A new screen is one more row. */
export const WORLD_VISITS: readonly Visit[] = (
  [
    ["home", "home"],
    ["search of all sets", "find", "", { text: "york" }],
    ["grid", "grid", "Cities"],
    [
      "grid of some columns",
      "grid",
      "Cities",
      { $filter: "Population gt 1000000", $orderby: "Name", $select: "Name,Population" },
    ],
    ["grid of frozen columns", "grid", "Cities", { $select: "Name,Id,Population", frozen: "2", widths: "Name:20" }],
    ["grid of totals", "grid", "Countries", { $apply: "groupby((Region),aggregate($count as Count))" }],
    ["grid of related records", "grid", "Countries('PT')/Cities"],
    ["query", "query", "Cities", { $filter: "Population gt 1000000 and Name ne 'x'", $orderby: "Name", $top: "20" }],
    ["query with a fault", "query", "Cities", { $filter: "Populaton gt 1" }, "400"],
    ["query of totals", "query", "Countries", { $apply: "groupby((Region),aggregate($count as Count))" }],
    ["bars", "chart", "Countries", { $apply: "groupby((Region),aggregate(Area with sum as Area))", kind: "bars" }],
    ["lines", "chart", "Cities", { $top: "50", $orderby: "Population desc", kind: "lines" }],
    ["scatter", "chart", "Countries", { kind: "scatter" }],
    ["bars of related records", "chart", "Cities", { x: "Country", y: "$count,Population" }],
    ["bars of months", "chart", "Trips", { x: "StartsOn", y: "Budget" }],
    ["bars of each row", "chart", "Trips", { rows: "each" }],
    ["relations", "relations"],
    ["relations of a set", "relations", "", { focus: "Cities", near: "true" }],
    ["operations", "operation"],
    ["record", "record", "Countries('PT')"],
    ["record that refers to others", "record", "Stops(1)"],
    ["record of a singleton", "record", "Me"],
    ["edit of a singleton", "edit", "Me"],
    ["create", "edit", "Trips"],
    ["edit", "edit", "Trips(1)"],
    ["cost", "cost", "Cities", { $filter: "Population gt 10000000", $expand: "Country" }],
  ] as const satisfies readonly Row[]
).map(toVisit);

/** Every screen over the service that breaks pages. */
export const HOSTILE_VISITS: readonly Visit[] = (
  [
    ["home", "home"],
    ["search of odd texts", "find", "", { text: "<svg" }, "40"],
    ["grid of odd texts", "grid", "Texts"],
    ["grid of 200 properties", "grid", "Wides"],
    ["grid of a key of three", "grid", "Pairs"],
    ["grid of 1 MB", "grid", "Huges"],
    ["grid without options", "grid", "Bare"],
    ["grid without rows", "grid", "Empty"],
    ["grid of a set from right to left", "grid", "רשומות"],
    ["grid without what the user may not read", "grid", "Secrets"],
    ["query of odd texts", "query", "Texts"],
    ["query of 200 properties", "query", "Wides"],
    ["query without options", "query", "Bare"],
    ["chart of odd texts", "chart", "Texts"],
    ["chart of 200 properties", "chart", "Wides"],
    ["chart without options", "chart", "Bare"],
    ["chart without rows", "chart", "Empty"],
    ["relations", "relations", "", { focus: "Texts" }],
    ["operations", "operation"],
    ["operation", "operation", "echo"],
    ["operation of a record", "operation", `${PAIR}/Hostile.rename`],
    ["record of odd texts", "record", `Texts(${ODD})`],
    ["record with a key of three", "record", PAIR],
    ["record of 200 properties", "record", "Wides(1)"],
    ["record of 1 MB", "record", "Huges(9223372036854775807)"],
    ["record without what the user may not read", "record", "Secrets(1)"],
    ["record of a set from right to left", "record", "רשומות(1)"],
    ["create", "edit", "Texts"],
    ["edit of odd texts", "edit", `Texts(${ODD})`],
    ["edit of 200 properties", "edit", "Wides(1)"],
    ["cost", "cost", "Wides"],
    ["cost of a set without options", "cost", "Bare"],
  ] as const satisfies readonly Row[]
).map(toVisit);
