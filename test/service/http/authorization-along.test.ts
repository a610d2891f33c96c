import fc from "fast-check";
import { authenticated, role } from "odatakit";
import { describe, expect, test } from "vitest";
import { ALL_CASES, caseCount } from "../../cases.ts";
import {
  alongArrays,
  type AlongRules,
  type AlongService,
  alongTables,
  NAVIGATIONS,
  type NavigationName,
  type SetName,
  SETS,
} from "./along-model.ts";
import { type Answer, eachDoor, expectError } from "./doors.ts";
import { as, bodyHeaders, CHALLENGE } from "./guarded-model.ts";

type Act = "read" | "create" | "update";

/** One step along a navigation, and the actions of the request on the target set. */
interface Step {
  readonly along: NavigationName;
  readonly acts: readonly Act[];
}

interface AlongRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** The set in the URL, and the action of the request on it. */
  readonly own: readonly [SetName, Act];
  /** The paths of the request; each step starts at the set where the previous step ends. */
  readonly paths: ReadonlyArray<readonly Step[]>;
  /** Sets that the request names by `$root`. */
  readonly roots?: readonly SetName[];
}

const TARGETS: Readonly<Record<NavigationName, SetName>> = {
  "Orders.Lines": "Lines",
  "Orders.Customer": "Customers",
  "Lines.Order": "Orders",
  "Customers.Region": "Regions",
  "Customers.Orders": "Orders",
  "Customers.Badge": "Badges",
};

/** `Orders.Lines create` or `Orders.Customer Customers.Region`, as steps. */
function pathOf(text: string): readonly Step[] {
  return text.split(" > ").map((step) => {
    const [along = "", ...acts] = step.split(" ");
    return { along: along as NavigationName, acts: acts.length === 0 ? ["read"] : (acts as readonly Act[]) };
  });
}

const LINK = '{"@odata.id":"Lines(3)"}';
const CUSTOMER = '{"@odata.id":"Customers(2)"}';
const BADGE = '{"@odata.id":"Badges(2)"}';

const REQUESTS: readonly AlongRequest[] = (
  [
    ["GET /Orders(1)/Lines", "Orders read", ["Orders.Lines"]],
    ["GET /Orders(1)/Lines/$count", "Orders read", ["Orders.Lines"]],
    ["GET /Orders(1)/Lines(1)", "Orders read", ["Orders.Lines"]],
    ["GET /Orders(1)/Lines/$ref", "Orders read", ["Orders.Lines"]],
    ["GET /Orders(1)/Customer", "Orders read", ["Orders.Customer"]],
    ["GET /Orders(1)/Customer/$ref", "Orders read", ["Orders.Customer"]],
    ["GET /Orders(1)/Customer?$expand=Region", "Orders read", ["Orders.Customer > Customers.Region"]],
    ["GET /Orders(1)/Lines?$filter=Order/Note eq 'first'", "Orders read", ["Orders.Lines > Lines.Order"]],
    ["GET /Orders(1)/Lines?$orderby=Order/Note", "Orders read", ["Orders.Lines > Lines.Order"]],
    ["GET /Orders?$expand=Lines", "Orders read", ["Orders.Lines"]],
    ["GET /Orders(1)?$expand=Lines", "Orders read", ["Orders.Lines"]],
    ["GET /Orders?$expand=Lines/$ref", "Orders read", ["Orders.Lines"]],
    ["GET /Orders?$expand=Lines/$count", "Orders read", ["Orders.Lines"]],
    ["GET /Orders?$expand=Customer($expand=Region)", "Orders read", ["Orders.Customer > Customers.Region"]],
    [
      "GET /Orders?$expand=Lines($filter=Order/Customer/Name eq 'Ada')",
      "Orders read",
      ["Orders.Lines > Lines.Order > Orders.Customer"],
    ],
    ["GET /Orders?$expand=Lines($orderby=Order/Note)", "Orders read", ["Orders.Lines > Lines.Order"]],
    ["GET /Orders?$filter=Customer/Region/Name eq 'North'", "Orders read", ["Orders.Customer > Customers.Region"]],
    ["GET /Orders?$orderby=Customer/Name", "Orders read", ["Orders.Customer"]],
    ["GET /Orders?$filter=Lines/any()", "Orders read", ["Orders.Lines"]],
    ["GET /Orders?$filter=Lines/$count gt 1", "Orders read", ["Orders.Lines"]],
    ["GET /Orders?$orderby=Lines/$count", "Orders read", ["Orders.Lines"]],
    ["GET /Orders/$count?$filter=Customer/Name eq 'Ada'", "Orders read", ["Orders.Customer"]],
    [
      "GET /Customers?$filter=Orders/any(o:o/Lines/all(l:l/Text ne $it/Region/Name))",
      "Customers read",
      ["Customers.Orders > Orders.Lines", "Customers.Region"],
    ],
    [
      "GET /Regions?$filter=$root/Orders(1)/Customer/Name ne Name",
      "Regions read",
      ["Orders.Customer"],
      undefined,
      ["Orders"],
    ],
    [
      "GET /Customers(1)?$expand=Badge,Orders($select=Id;$expand=Lines)",
      "Customers read",
      ["Customers.Badge", "Customers.Orders > Orders.Lines"],
    ],
    ["POST /Orders(1)/Lines", "Orders create", ["Orders.Lines create"], '{"Id":9,"Text":"new"}'],
    [
      "POST /Orders(1)/Lines?$expand=Order",
      "Orders create",
      ["Orders.Lines create > Lines.Order"],
      '{"Id":9,"Text":"new"}',
    ],
    [
      "POST /Orders",
      "Orders create",
      ["Orders.Lines create"],
      '{"Id":9,"CustomerId":1,"Note":"n","Lines":[{"Id":9,"Text":"new"}]}',
    ],
    ["POST /Orders?$expand=Customer", "Orders create", ["Orders.Customer"], '{"Id":9,"CustomerId":1,"Note":"n"}'],
    [
      "POST /Orders?$select=Id",
      "Orders create",
      ["Orders.Customer create"],
      '{"Id":9,"Note":"n","Customer":{"Id":9,"Name":"Cy"},"Lines":[]}',
    ],
    ["POST /Orders(1)/Lines/$ref", "Orders create", ["Orders.Lines read update"], LINK],
    ["DELETE /Orders(1)/Lines/$ref?$id=Lines(1)", "Orders update", ["Orders.Lines read update"]],
    ["PUT /Orders(1)/Customer/$ref", "Orders update", ["Orders.Customer read"], CUSTOMER],
    ["DELETE /Orders(1)/Customer/$ref", "Orders update", ["Orders.Customer read"]],
    ["PUT /Customers(1)/Badge/$ref", "Customers update", ["Customers.Badge read update"], BADGE],
    ["DELETE /Customers(1)/Badge/$ref", "Customers update", ["Customers.Badge read update"]],
  ] as ReadonlyArray<readonly [string, string, readonly string[], string?, (readonly SetName[])?]>
).map(([request, own, paths, body, roots]) => {
  const [method = "", ...path] = request.split(" ");
  const [set, act] = own.split(" ");
  return {
    method,
    path: path.join("%20"),
    own: [set as SetName, act as Act] as const,
    paths: paths.map(pathOf),
    ...(body === undefined ? {} : { body }),
    ...(roots === undefined ? {} : { roots }),
  };
});

/** The requirement of a category: nothing, any user, or a role. */
type Required = "nothing" | "user" | "a" | "b";
type RequiredRules = Readonly<Record<SetName, Readonly<Record<Act, Required>>>>;

const required = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Required>("nothing") },
  { weight: 1, arbitrary: fc.constantFrom<Required>("user", "a", "b") },
);
const ofSet = fc.record({ read: required, create: required, update: required });
const generated = fc.record({
  sets: fc.record(Object.fromEntries(SETS.map((name) => [name, ofSet]))) as unknown as fc.Arbitrary<RequiredRules>,
  skipping: fc.subarray([...NAVIGATIONS], { maxLength: 2 }),
  roles: fc.option(fc.subarray(["a", "b"] as const), { nil: null }),
});

function toRule(needed: Required) {
  if (needed === "nothing") return [];
  return needed === "user" ? authenticated() : role(needed);
}

function rulesOf(sets: RequiredRules, skipping: readonly NavigationName[]): AlongRules {
  const toRules = ({ read, create, update }: RequiredRules[SetName]) => ({
    read: toRule(read),
    create: toRule(create),
    update: toRule(update),
  });
  return { sets: Object.fromEntries(SETS.map((name) => [name, toRules(sets[name])])), skipping };
}

/** The oracle: every rule that a request meets, one by one. */
function* needs(request: AlongRequest, sets: RequiredRules, skipping: readonly NavigationName[]): Iterable<Required> {
  const [set, act] = request.own;
  yield sets[set][act];
  for (const root of request.roots ?? []) yield sets[root].read;
  for (const path of request.paths) {
    for (const [index, { along, acts }] of path.entries()) {
      const before = path[index - 1];
      const owner = along.split(".")[0] as SetName;
      if (before !== undefined && skipping.includes(before.along)) {
        // An entity nested in a body is created; any other is read.
        yield sets[owner][acts.includes("create") ? "create" : "read"];
      }
      if (!skipping.includes(along)) for (const each of acts) yield sets[TARGETS[along]][each];
    }
  }
}

function passes(needed: Required, roles: readonly string[] | null): boolean {
  if (needed === "nothing") return true;
  return roles !== null && (needed === "user" || roles.includes(needed));
}

/** Everything that distinguishes two responses, except the headers for caches. */
const told = ({ status, headers, text }: Answer) => {
  const { vary: _, "cache-control": __, ...others } = headers;
  return { status, headers: others, text };
};

const ENGINES: Readonly<Record<string, { readonly make: (rules: AlongRules) => AlongService; readonly runs: number }>> =
  {
    arrays: { make: alongArrays, runs: 25 },
    tables: { make: alongTables, runs: 12 },
  };

const OPEN: AlongRules = { sets: {}, skipping: [] };

eachDoor((door) => {
  // Doors do not affect rules, so only one of them sends the many requests.
  describe.skipIf(door.name !== "web").each(Object.entries(ENGINES))(
    "along navigations of %s",
    (_name, { make, runs }) => {
      const open = make(OPEN);
      const asked = new Map<AlongRequest, Answer>();

      test("checks the rules of both sets before any handler runs", async () => {
        for (const request of REQUESTS) {
          await open.reset();
          const answer = await door.to(open.service)(
            request.path,
            bodyHeaders(request.body),
            request.method,
            request.body,
          );
          expect(answer.status, `${request.method} ${request.path} ${answer.text}`).toBeLessThan(300);
          asked.set(request, answer);
        }
        let refused = 0;
        await fc.assert(
          fc.asyncProperty(generated, async ({ sets, skipping, roles }) => {
            const { service, calls, reset } = make(rulesOf(sets, skipping));
            const send = door.to(service);
            const user = roles === null ? null : `ann:${roles.join(",")}`;
            await reset();
            for (const request of REQUESTS) {
              const { method, path, body } = request;
              const isAllowed = [...needs(request, sets, skipping)].every((each) => passes(each, roles));
              calls.length = 0;
              const answer = await send(path, { ...as(user), ...bodyHeaders(body) }, method, body);
              const name = `${method} ${path} for ${String(user)}`;
              if (isAllowed) {
                const expected = asked.get(request);
                if (expected === undefined) throw new Error(name);
                expect(told(answer), name).toEqual(told(expected));
                if (method !== "GET") await reset();
                continue;
              }
              refused += 1;
              expect({ name, status: answer.status }).toEqual({ name, status: roles === null ? 401 : 403 });
              expect(answer.headers["www-authenticate"]).toBe(
                roles === null ? CHALLENGE["www-authenticate"] : undefined,
              );
              expect(calls, name).toEqual([]);
            }
          }),
          { numRuns: caseCount(runs) },
        );
        // The few cases of a sample refuse some.
        expect(refused).toBeGreaterThan(ALL_CASES ? 30 : 0);
      });

      test("$expand=* expands the navigations that the user may read", async () => {
        const star = fc.record({
          sets: generated.map(({ sets }) => sets),
          skipping: fc.subarray([...NAVIGATIONS], { maxLength: 2 }),
          roles: fc.option(fc.subarray(["a", "b"] as const), { nil: null }),
        });
        await open.reset();
        const ask = door.to(open.service);
        await fc.assert(
          fc.asyncProperty(star, async ({ sets, skipping, roles }) => {
            const closed = { ...sets, Customers: { ...sets.Customers, read: "nothing" as const } };
            const send = door.to(make(rulesOf(closed, skipping)).service);
            const mayRead = (along: NavigationName) =>
              skipping.includes(along) || passes(closed[TARGETS[along]].read, roles);
            const shown = (["Customers.Region", "Customers.Orders", "Customers.Badge"] as const).filter(mayRead);
            const below = (["Orders.Lines", "Orders.Customer"] as const).filter(
              (along) => mayRead(along) && passes(closed.Orders.read, roles),
            );
            const list = (names: readonly string[]) => names.map((each) => each.split(".")[1]).join(",");
            const user = as(roles === null ? null : `ann:${roles.join(",")}`);
            const expand = shown.length === 0 ? "" : `?$expand=${list(shown)}`;
            for (const path of ["/Customers", "/Customers(1)"]) {
              const answer = await send(`${path}?$expand=*`, user);
              expect(answer.json, path).toEqual((await ask(path + expand)).json);
            }
            if (!mayRead("Customers.Orders")) return;
            const nested = below.length === 0 ? "" : `($expand=${list(below)})`;
            const answer = await send("/Customers?$expand=Orders($expand=*)", user);
            expect(answer.json).toEqual((await ask(`/Customers?$expand=Orders${nested}`)).json);
          }),
          { numRuns: caseCount(runs) },
        );
      });
    },
  );

  describe("a refusal along a navigation", () => {
    const { service, calls } = alongArrays({
      sets: { Customers: { read: role("a") }, Lines: { read: role("a"), create: role("a"), update: role("a") } },
      skipping: [],
    });
    const send = door.to(service);
    const PATHS: ReadonlyArray<readonly [string, string, string, string | undefined]> = (
      [
        ["GET", "/Orders(1)/Customer", "Customer"],
        ["GET", "/Orders?$filter=Customer/Name%20eq%20'Ada'", "Customer"],
        ["GET", "/Orders?$orderby=Customer/Name", "Customer"],
        ["GET", "/Orders?$filter=Lines/any()", "Lines"],
        ["GET", "/Orders?$filter=Lines/$count%20gt%200", "Lines"],
        ["GET", "/Orders?$expand=Lines", "Lines"],
        ["GET", "/Regions?$filter=$root/Orders(1)/Customer/Name%20eq%20Name", "Customer"],
        ["POST", "/Orders(1)/Lines", "Lines", "{"],
        ["POST", "/Orders", "Lines", '{"Id":9,"Note":"n","Lines":[{"Id":9,"Text":"t"}]}'],
        ["POST", "/Orders(1)/Lines/$ref", "Lines", LINK],
      ] as const
    ).map(([method, path, navigation, body]) => [method, path, navigation, body]);

    test.each(PATHS)("names the navigation: %s %s", async (method, path, navigation, body) => {
      calls.length = 0;
      const message = new RegExp(`'${navigation}'`, "u");
      const refusal = { target: navigation, message };
      const nobody = await send(path, bodyHeaders(body), method, body);
      expectError(nobody, { ...refusal, status: 401, code: "Unauthorized", headers: CHALLENGE });
      const ann = await send(path, { ...as("ann"), ...bodyHeaders(body) }, method, body);
      expectError(ann, { ...refusal, status: 403, code: "Forbidden" });
      expect(calls).toEqual([]);
    });

    test("a rule of the path is checked before negotiation, a rule of an option before handlers", async () => {
      expect((await send("/Orders(x)/Customer", { ...as("ann"), Accept: "image/png" })).status).toBe(403);
      expect((await send("/Orders?$expand=Customer", { ...as("ann"), Accept: "image/png" })).status).toBe(406);
      expect((await send("/Orders?$expand=Customer&$nope=1", as("ann"))).status).toBe(400);
      expect((await send("/Orders(9)?$expand=Customer", as("ann"))).status).toBe(403);
    });
  });
});
