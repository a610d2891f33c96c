// Statements: docs/reference/model.md#modifiers
// Statements: docs/reference/properties.md#read
// Statements: docs/reference/routes.md#paths
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
  describe("a hidden property gets the same response as a missing one", () => {
    const { service, given } = accountService();
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
});
