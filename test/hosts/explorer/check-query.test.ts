import fc from "fast-check";
import { expect, test } from "vitest";
import { checkQuery, placeOfFault } from "../../../explorer/src/query/check-query.ts";

/** The fault of a text, with `¦` where it is. */
function shown(text: string): string | null {
  const fault = checkQuery(text);
  return fault === null ? null : `${text.slice(0, fault.position)}¦${text.slice(fault.position)} — ${fault.message}`;
}

test.for([
  "Orders?$expand=Items($foo=1)",
  "Orders?$apply=group((A))",
  "Orders?$select=A,,B",
  "Orders?$search=a AND",
  "Orders?$orderby=A down",
  "Orders?$compute=A",
  "Orders?$top=x",
  "Orders?$count=yes",
  "Orders?$limit=5",
])("leaves the fault of %s to the service", (text) => {
  expect(checkQuery(text)).toBeNull();
});

test.for([
  "Orders",
  "Orders?",
  "Orders?$filter=Total gt 5 and contains(Name,'a & b')&$orderby=Id desc&$select=Id&$expand=Items($top=1)&$top=5&$skip=0&$count=true",
  'Orders?$apply=groupby((Color),aggregate($count as Count))&$compute=Total mul 2 as Twice&$search="a b" OR c&$format=json',
  "Orders?$filter=A eq @p&@p=5&sap-client=100&$skiptoken=x",
  "Orders?$filter=A eq 1\n  and B eq 2\n&$top=5",
])("finds no fault in %s", (text) => {
  expect(checkQuery(text)).toBeNull();
});

test.for([
  ["", "¦ — Write the name of an entity set first."],
  [
    "Orders?$filter=A = 1",
    'Orders?$filter=A ¦= 1 — expected an operator (and, or, eq, ne, gt, ge, lt, le, in, has, add, sub, mul, div, divby, mod) or the end, found "=". Write eq to compare.',
  ],
  ["Orders?$filter=Name%20eq%20%27a%27 adn B", null],
  ["Orders?$top=1&$top=2", "Orders?$top=1&¦$top=2 — $top appears twice: give each option once."],
  ["Orders?$filter=", "Orders?$filter=¦ — expected a property, a literal or a function, found the end."],
] as const)("finds the fault of %s", ([text, expected]) => {
  const found = shown(text);
  if (expected === null) expect(found).toContain("Orders?$filter=Name%20eq%20%27a%27 ¦adn B — expected");
  else expect(found).toBe(expected);
});

test("never throws, and finds places within the text", () => {
  const option = fc.constantFrom(
    "$filter",
    "$orderby",
    "$expand",
    "$select",
    "$apply",
    "$search",
    "$compute",
    "$top",
    "x",
  );
  const value = fc.oneof(fc.string(), fc.stringMatching(/^[A() ,;='"$/a%]*$/u));
  fc.assert(
    fc.property(fc.array(fc.tuple(option, value)), (pairs) => {
      const text = `Orders?${pairs.map(([name, each]) => `${name}=${each}`).join("&")}`;
      const fault = checkQuery(text);
      if (fault !== null) expect(fault.position).toBeLessThanOrEqual(text.length);
    }),
  );
});

test("reads the place that a message names", () => {
  expect(placeOfFault("$filter at position 8: no such property.")).toEqual({
    option: "$filter",
    position: 8,
    message: "no such property.",
  });
  expect(placeOfFault("Unknown option. Write $top. (position 6 of $expand)")).toEqual({
    option: "$expand",
    position: 6,
    message: "Unknown option. Write $top.",
  });
  expect(placeOfFault("There is no set.")).toBeNull();
});
