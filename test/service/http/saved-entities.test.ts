import { edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { headersOf } from "./doors.ts";

const Ticket = entityType("Ticket", {
  id: edm.int32().key(),
  title: edm.string(),
  team: edm.string().computed(),
  tenant: edm.string().ignored(),
  version: edm.int32().computed(),
});
const Desk = entityType("Desk", { id: edm.int32().key() });

interface Stored {
  id: number;
  title: string;
  team: string;
  tenant?: string;
  version: number;
}

let tickets: Stored[];
beforeEach(() => {
  tickets = [
    { id: 1, title: "lamp", team: "red", tenant: "t", version: 1 },
    { id: 2, title: "secret", team: "blue", tenant: "t", version: 1 },
    { id: 3, title: "no tenant is told", team: "red", version: 1 },
  ];
});

/** Returns the team that the title of a ticket names: handlers assign it regardless of the caller. */
function teamOf(title: string): string {
  return title.includes("for blue") ? "blue" : "red";
}

/** Returns the ticket with this title, or creates it. */
function findOrCreate(id: number, title: string): Stored {
  const found = tickets.find((each) => each.title === title);
  if (found !== undefined) return found;
  const made = { id, title, team: teamOf(title), tenant: "t", version: 1 };
  tickets.push(made);
  return made;
}

const Tickets = entitySet(Ticket, {
  etag: ["version"],
  getAll: () => tickets,
  getByKey: (id) => tickets.find((each) => each.id === id) ?? null,
  create: ({ id, title }) => findOrCreate(id, title),
  replace: (id, { title }) => change(id, title),
  patch: (id, { title }) => change(id, title ?? ""),
  authorization: { rows: (user, ticket) => ticket.team.eq(user.id ?? "").and(ticket.tenant.eq("u").not()) },
});
const Desks = entitySet(Desk, {
  getByKey: (id) => ({ id }),
  navigation: {
    tickets: hasMany(Ticket, { target: "Tickets", create: (_key, { id, title }) => findOrCreate(id, title) }),
  },
});

function change(id: number, title: string): Stored | null {
  const found = tickets.find((each) => each.id === id);
  return found === undefined ? null : Object.assign(found, { title, team: teamOf(title), version: found.version + 1 });
}

const service = odataService({ authenticate: () => ({ id: "red" }), entitySets: [Tickets, Desks] });

async function send(method: string, path: string, body?: object): Promise<Response> {
  const init = { method, headers: { "content-type": "application/json" }, ...(body && { body: JSON.stringify(body) }) };
  return service.fetch(new Request(`http://service.example/${path}`, init));
}

describe("the response reveals nothing of an entity that a handler assigned to another team", () => {
  test.each([
    ["POST", "Tickets", { Id: 9, Title: "secret" }],
    ["POST", "Tickets", { Id: 9, Title: "for blue" }],
    ["POST", "Desks(1)/Tickets", { Id: 9, Title: "secret" }],
    ["PUT", "Tickets(1)", { Title: "for blue" }],
    ["PATCH", "Tickets(1)", { Title: "for blue" }],
    ["PUT", "Tickets(1)/Title", { value: "for blue" }],
  ])("%s %s %j", async (method, path, body) => {
    const response = await send(method, path, body);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(headersOf(response)).toEqual({
      "odata-version": "4.0",
      "cache-control": "no-store",
      vary: "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
    });
  });
});

describe("the response reveals nothing if the rule follows a navigation with a handler", () => {
  const Team = entityType("Team", { id: edm.string().key() });
  const find = (key: number): Stored | null => tickets.find(({ id }) => id === key) ?? null;
  const team = (key: number): { id: string } => ({ id: find(key)?.team ?? "" });
  test.each([
    ["one key", { get: team }],
    ["many keys", { getBatch: (keys: readonly number[]) => new Map(keys.map((key) => [key, team(key)])) }],
  ])("by %s", async (_kind, handlers) => {
    const guarded = odataService({
      authenticate: () => ({ id: "red" }),
      entitySets: [
        entitySet(Team, { getAll: () => [] }),
        entitySet(Ticket, {
          getByKey: find,
          create: ({ id, title }) => findOrCreate(id, title),
          patch: (id, { title }) => change(id, title ?? ""),
          navigation: { group: hasOptional(Team, { target: "Teams", ...handlers }) },
          authorization: { rows: (user, ticket) => ticket.group.id.eq(user.id ?? "") },
        }),
      ],
    });
    const write = async (method: string, path: string, body: object) => {
      const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      return (await guarded.fetch(new Request(`http://service.example/${path}`, init))).status;
    };
    expect(await write("POST", "Tickets", { Id: 9, Title: "secret" })).toBe(204);
    expect(await write("POST", "Tickets", { Id: 9, Title: "mine" })).toBe(201);
    expect(await write("PATCH", "Tickets(9)", { Title: "mine, too" })).toBe(200);
    expect(await write("PATCH", "Tickets(9)", { Title: "for blue" })).toBe(204);
  });
});

test("visible entities are returned as usual", async () => {
  const made = await send("POST", "Tickets", { Id: 9, Title: "mine" });
  expect([made.status, made.headers.get("location")]).toEqual([201, "http://service.example/Tickets(9)"]);
  const changed = await send("PUT", "Tickets(9)/Title", { value: "mine, too" });
  expect([changed.status, changed.headers.has("etag")]).toEqual([204, true]);
});

test("an entity without the property that the rule compares is hidden, also under `not`", async () => {
  const response = await send("GET", "Tickets?$select=Id");
  expect(((await response.json()) as { value: unknown }).value).toEqual([{ Id: 1, "@odata.etag": expect.any(String) }]);
  expect((await send("GET", "Tickets(3)")).status).toBe(404);
});
