import { describe, expect, test } from "vitest";
import { rawDoor, url } from "./doors.ts";
import { accountService } from "./threats-model.ts";

const JSON_BODY = { "Content-Type": "application/json" };

/** A request; `NAME` is replaced by a property. */
type Template = readonly [target: string, method?: string, body?: string];

const filters = [
  "NAME eq 'x'",
  "NAME ne null",
  "contains(NAME,'x')",
  "$it/NAME eq 'x'",
  "'x' in (NAME)",
  "Home/NAME eq 'x'",
  "Homes/any(h:h/NAME eq 'x')",
  "Notes/any(n:n/NAME eq 'x')",
  "Notes/all(n:n/Home/NAME eq 'x')",
  "$root/Accounts(1)/NAME eq 'x'",
  "NAME/$count gt 0",
];

/** Every place of a request that names a property. */
const PLACES: readonly Template[] = [
  ...filters.map((filter): Template => [url("/s/Accounts", { $filter: filter })]),
  ...filters.map((filter): Template => [url("/s/Accounts/$count", { $filter: filter })]),
  ...["NAME", "NAME desc", "Home/NAME", "length(NAME)"].map((by): Template => [url("/s/Accounts", { $orderby: by })]),
  ...["NAME", "Home/NAME", "NAME/x"].map((path): Template => [url("/s/Accounts", { $select: path })]),
  ...["$select=NAME", "$filter=NAME eq 'x'", "$orderby=NAME", "$expand=NAME", "$select=Home/NAME"].map(
    (option): Template => [url("/s/Accounts", { $expand: `Notes(${option})` })],
  ),
  ["/s/Accounts?$expand=NAME"],
  ["/s/Accounts?$apply=groupby((NAME))"],
  ["/s/Accounts?$compute=NAME%20as%20x"],
  ...[
    "groupby((NAME))",
    "groupby((Home/NAME))",
    "groupby((Name),aggregate(NAME with max as X))",
    "groupby((Name),filter(NAME eq 'x')/aggregate($count as X))",
    "aggregate(NAME with countdistinct as X)",
    "aggregate(NAME with max as NAME)",
    "aggregate(length(Home/NAME) with sum as X)",
    "filter(NAME eq 'x')",
    "filter(Notes/any(n:n/NAME eq 'x'))/groupby((Name))",
    "topcount(1,NAME)",
    "orderby(NAME)/top(1)",
    "compute(NAME as X)/groupby((X))",
    "compute(length(NAME) as X)",
    "compute(Name as NAME,Id as NAME)",
    "groupby((Name))/filter(NAME eq 'x')",
    "groupby((Home/City))/orderby(Home/NAME)",
    "concat(identity,aggregate(NAME with min as X))",
  ].flatMap((apply): Template[] => [
    [url("/s/Accounts", { $apply: apply })],
    [url("/s/Accounts/$count", { $apply: apply })],
  ]),
  ...["$filter=NAME eq 'x'", "$orderby=NAME", "$select=NAME", "$compute=NAME as X"].flatMap((option): Template[] => {
    const [name = "", value = ""] = option.split(/=(.*)/u);
    return ["identity", "groupby((Name))", "concat(groupby((Name)),identity)"].map((apply): Template => [
      url("/s/Accounts", { $apply: apply, [name]: value }),
    ]);
  }),
  ...["NAME as X", "length(Home/NAME) as X", "Name as X,NAME as Y", "Notes/$count add length(NAME) as X"].flatMap(
    (compute): Template[] => [
      [url("/s/Accounts", { $compute: compute })],
      [url("/s/Accounts(1)", { $compute: compute })],
      [url("/s/Accounts", { $compute: compute, $select: "Id", $orderby: "X" })],
    ],
  ),
  [url("/s/Accounts", { $expand: "Notes($compute=NAME as X)" })],
  ["/s/Accounts(1)?$select=NAME"],
  ["/s/Accounts(1)/NAME"],
  ["/s/Accounts(1)/NAME/$value"],
  ["/s/Accounts(1)/Home/NAME"],
  ["/s/Accounts(NAME=1)"],
  ["/s/Accounts(1)/Notes?$select=NAME"],
  ["/s/Accounts(1)/Notes?$orderby=NAME"],
  ["/s/Accounts(1)/Notes(1)?$select=NAME"],
  ["/s/Accounts(1)/NAME", "PUT", '{"value":"x"}'],
  ["/s/Accounts(1)/NAME", "PATCH", '{"value":"x"}'],
  ["/s/Accounts(1)/NAME", "DELETE"],
  ["/s/Accounts", "POST", '{"Id":9,"Homes":[],"NAME":"x"}'],
  ["/s/Accounts", "POST", '{"Id":9,"Homes":[],"NAME@odata.bind":"x"}'],
  ["/s/Accounts", "POST", '{"Id":9,"Homes":[],"Home":{"NAME":"x"}}'],
  ["/s/Accounts", "POST", '{"Id":9,"Homes":[],"Notes":[{"Id":1,"NAME":"x"}]}'],
  ["/s/Accounts(1)", "PUT", '{"NAME":"x"}'],
  ["/s/Accounts(1)", "PATCH", '{"NAME":"x"}'],
  ["/s/Accounts(1)/Home", "PUT", '{"value":{"NAME":"x"}}'],
  ["/s/Accounts(1)/Notes", "POST", '{"Id":1,"NAME":"x"}'],
  ["/s/Accounts(1)/move", "POST", '{"to":{"NAME":"x"}}'],
];

const REQUESTS = PLACES.map(([target, method = "GET", body = ""]) => [target, method, body] as const);

rawDoor((door) => {
  const APPLY = { applyEnabled: true, computeEnabled: true };
  describe.each([{}, APPLY])("a hidden property gets the same response as a missing one, with %o", (defaults) => {
    const { service, given } = accountService({ defaults });
    const send = door.to(service);

    test.each(REQUESTS)("%s %s %s", async (target, method, body) => {
      const ask = (name: string) =>
        send(target.replaceAll("NAME", name), JSON_BODY, method, body.replaceAll("NAME", name));
      const [hidden, unknown] = [await ask("Secret"), await ask("Zzzzzz")];
      expect(unknown.text).toMatch(/Zzzzzz|"(?:UnsupportedQueryOption|NotImplemented)"/u);
      expect(hidden.status).toBeGreaterThanOrEqual(400);
      expect({ ...hidden, text: "", json: JSON.parse(hidden.text.replaceAll("Secret", "Zzzzzz")) }).toEqual({
        ...unknown,
        text: "",
      });
      expect((await ask("Secre")).text).not.toContain("Secret");
      expect(given).toEqual([]);
    });
  });

  test.each([
    { $apply: "compute(Id as NAME)/groupby((NAME),aggregate(NAME with sum as S))" },
    { $apply: "aggregate(Id with max as NAME)/filter(NAME eq 5)" },
    { $apply: "concat(compute(Id as NAME)/top(2),aggregate(Id with min as NAME))", $orderby: "NAME desc" },
    { $compute: "Id as NAME", $filter: "NAME gt 2", $orderby: "NAME desc", $select: "NAME" },
  ])("an alias may have the name of a hidden property, which it does not show: %o", async (options) => {
    const { service } = accountService({ defaults: { applyEnabled: true, computeEnabled: true } });
    const ask = (name: string) =>
      door.to(service)(
        url(
          "/s/Accounts",
          Object.fromEntries(Object.entries(options).map(([option, text]) => [option, text.replaceAll("NAME", name)])),
        ),
      );
    const [hidden, unknown] = [await ask("Secret"), await ask("Zzzzzz")];
    expect(hidden.status).toBe(200);
    expect(hidden.text).not.toContain('"hidden"');
    expect(hidden.text.replaceAll("Secret", "Zzzzzz")).toBe(unknown.text);
  });
});
