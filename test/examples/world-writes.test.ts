import type { Kysely } from "kysely";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WorldDatabase } from "../../examples/world/database.ts";
import { worldService } from "../../examples/world/service.ts";
import { openLoadedWorld } from "./loaded-world.ts";

const LISBON = 2_267_057;
const PORTO = 2_735_943;

let db: Kysely<WorldDatabase>;
let server: RunningServer;
let root: string;

beforeAll(async () => {
  db = await openLoadedWorld();
  server = await serve(worldService(db), { port: 0 });
  root = `${server.url}/odata`;
});
beforeEach(async () => {
  await db.deleteFrom("trips").execute();
});
afterAll(async () => {
  await server.close();
  await db.destroy();
});

type Json = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

async function send(method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${root}/${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...json,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : (JSON.parse(text) as Json),
  };
}

async function idOf(answer: Promise<Answer>): Promise<number> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBe(201);
  return body["Id"] as number;
}

const createTrip = (title = "Portugal"): Promise<number> => idOf(send("POST", "Trips", { Title: title }));

async function valueOf(path: string): Promise<readonly Json[]> {
  const { status, body } = await send("GET", path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body["value"] as readonly Json[];
}

describe("a trip", () => {
  test("is created with its stops, as one, and read with their cities", async () => {
    const created = await send("POST", "Trips", {
      Title: "Lisbon to Porto",
      StartsOn: "2027-04-10",
      Budget: 950.5,
      Stops: [
        { Position: 1, Place: "Lisbon", Nights: 3, CityId: LISBON },
        { Position: 2, Place: "Porto", CityId: PORTO },
      ],
    });
    const id = created.body["Id"] as number;
    const url = `${root}/Trips(${id})`;
    expect(created.status).toBe(201);
    expect(created.headers.get("location")).toBe(url);
    expect(created.body).toMatchObject({
      "@odata.context": `${root}/$metadata#Trips/$entity`,
      "@odata.id": url,
      "@odata.etag": created.headers.get("etag"),
      Title: "Lisbon to Porto",
      Status: "Planned",
      StartsOn: "2027-04-10",
      Budget: 950.5,
      Notes: null,
      RowVersion: 1,
      Stops: [
        { TripId: id, Position: 1, Place: "Lisbon", Nights: 3, CityId: LISBON },
        { TripId: id, Position: 2, Place: "Porto", Nights: 1, CityId: PORTO },
      ],
    });
    const read = await send("GET", `Trips(${id})?$expand=Stops($orderby=Position;$expand=City($select=Name))`);
    expect(read.body["Stops"]).toMatchObject([{ City: { Name: "Lisbon" } }, { City: { Name: "Porto" } }]);
    expect(await valueOf(`Stops?$filter=City/Country/Name eq 'Portugal'&$orderby=Position&$select=Place`)).toEqual([
      { "@odata.id": expect.stringMatching(/\/Stops\(\d+\)$/u), Place: "Lisbon" },
      { "@odata.id": expect.stringMatching(/\/Stops\(\d+\)$/u), Place: "Porto" },
    ]);
  });

  test("is not created when one of its stops cannot be", async () => {
    const stops = [
      { Position: 1, Place: "Lisbon" },
      { Position: 1, Place: "Porto" },
    ];
    const { status, body } = await send("POST", "Trips", { Title: "Twice first", Stops: stops });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      error: { code: "Conflict", message: expect.stringContaining("TripId and Position") as unknown },
    });
    expect(await valueOf("Trips")).toEqual([]);
    expect(await valueOf("Stops")).toEqual([]);
  });

  test("changes only for clients with its current ETag", async () => {
    const created = await send("POST", "Trips", { Title: "North", Notes: "by rail" });
    const trip = `Trips(${String(created.body["Id"])})`;
    const first = { "If-Match": created.headers.get("etag") ?? "" };
    const changed = await send("PATCH", trip, { Status: "Booked" }, first);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ Title: "North", Status: "Booked", Notes: "by rail", RowVersion: 2 });
    const late = {
      status: 412,
      body: {
        error: {
          code: "PreconditionFailed",
          message: "If-Match does not hold. The entity has changed: read it again before you repeat the request.",
        },
      },
    };
    expect(await send("PATCH", trip, { Status: "Done" }, first)).toMatchObject(late);
    expect(await send("PUT", trip, { Title: "South" }, first)).toMatchObject(late);
    expect(await send("DELETE", trip, undefined, first)).toMatchObject(late);
    const second = { "If-Match": changed.headers.get("etag") ?? "" };
    const replaced = await send("PUT", trip, { Title: "South" }, second);
    expect(replaced.body).toMatchObject({ Title: "South", Status: "Planned", Notes: null, RowVersion: 3 });
    const unchanged = await send("GET", trip, undefined, { "If-None-Match": replaced.headers.get("etag") ?? "" });
    expect(unchanged.status).toBe(304);
  });

  test("is not changed by who lost the quotes of the ETag", async () => {
    const created = await send("POST", "Trips", { Title: "North" });
    const etag = created.headers.get("etag") ?? "";
    const answer = await send(
      "PATCH",
      `Trips(${String(created.body["Id"])})`,
      { Title: "x" },
      { "If-Match": etag.slice(1, -1) },
    );
    expect(answer.status).toBe(412);
    expect(answer.body).toEqual({
      error: {
        code: "PreconditionFailed",
        message: "If-Match does not hold. An ETag includes its double quotes: send it as you received it, or send *.",
      },
    });
  });

  test("of two writers at once exactly one wins", async () => {
    const id = await createTrip();
    for (let round = 1; round <= 20; round += 1) {
      const read = await send("GET", `Trips(${id})`);
      const ifMatch = { "If-Match": read.headers.get("etag") ?? "" };
      const answers = await Promise.all(
        ["one", "other"].map((notes) => send("PATCH", `Trips(${id})`, { Notes: `${notes} ${round}` }, ifMatch)),
      );
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 412]);
      const winner = answers.find(({ status }) => status === 200);
      const { body } = await send("GET", `Trips(${id})`);
      expect(body).toMatchObject({ Notes: winner?.body["Notes"], RowVersion: round + 1 });
    }
  });

  test("goes with its stops", async () => {
    const id = await createTrip();
    await idOf(send("POST", `Trips(${id})/Stops`, { Position: 1, Place: "Lisbon" }));
    expect((await send("POST", `Trips(${id})/Countries/$ref`, { "@odata.id": "Countries('PT')" })).status).toBe(204);
    expect((await send("DELETE", `Trips(${id})`, undefined, { "If-Match": "*" })).status).toBe(204);
    expect((await send("GET", `Trips(${id})`)).status).toBe(404);
    expect(await valueOf("Stops")).toEqual([]);
    expect(await db.selectFrom("tripCountries").selectAll().execute()).toEqual([]);
    // No other trip ever has its URL.
    expect(await createTrip()).toBeGreaterThan(id);
  });

  test("is searched, filtered and written by property", async () => {
    const id = await createTrip("Along the Douro");
    await createTrip("Elsewhere");
    expect(await valueOf("Trips?$search=douro&$select=Id")).toMatchObject([{ Id: id }]);
    expect((await send("PUT", `Trips(${id})/Budget`, { value: 12.5 })).status).toBe(204);
    expect((await send("PUT", `Trips(${id})/Notes`, { value: "with a boat" })).status).toBe(204);
    expect(await valueOf("Trips?$filter=Budget gt 12.49&$select=Budget,RowVersion")).toMatchObject([
      { Budget: 12.5, RowVersion: 3 },
    ]);
    expect(await valueOf("Trips?$search=boat&$select=Id")).toMatchObject([{ Id: id }]);
    expect((await send("DELETE", `Trips(${id})/Notes`)).status).toBe(204);
    expect(await valueOf("Trips?$search=boat")).toEqual([]);
  });
});

describe("links", () => {
  test("lead from a stop to its city", async () => {
    const id = await createTrip();
    const stop = await idOf(send("POST", `Trips(${id})/Stops`, { Position: 1, Place: "The hotel by the river" }));
    expect((await send("GET", `Stops(${stop})/City`)).status).toBe(404);
    for (const reference of [`Cities(${LISBON})`, `${root}/Cities(${PORTO})`]) {
      expect((await send("PUT", `Stops(${stop})/City/$ref`, { "@odata.id": reference })).status).toBe(204);
    }
    expect((await send("GET", `Stops(${stop})/City`)).body).toMatchObject({ Id: PORTO, Name: "Porto" });
    expect((await send("DELETE", `Stops(${stop})/City/$ref`)).status).toBe(204);
    expect((await send("GET", `Stops(${stop})`)).body).toMatchObject({ CityId: null });
  });

  test("lead from a trip to countries, and to no others", async () => {
    const id = await createTrip();
    const links = `Trips(${id})/Countries/$ref`;
    for (const code of ["PT", "ES", "PT"]) {
      expect((await send("POST", links, { "@odata.id": `Countries('${code}')` })).status).toBe(204);
    }
    expect(await valueOf(`Trips(${id})/Countries?$orderby=Name&$select=Name`)).toEqual([
      { "@odata.id": expect.stringMatching(/\/Countries\('PT'\)$/u), Name: "Portugal" },
      { "@odata.id": expect.stringMatching(/\/Countries\('ES'\)$/u), Name: "Spain" },
    ]);
    expect(await valueOf("Trips?$filter=Countries/any(c: c/Code eq 'ES')&$select=Title")).toMatchObject([
      { Title: "Portugal" },
    ]);
    expect((await send("DELETE", `${links}?$id=Countries('ES')`)).status).toBe(204);
    expect((await send("DELETE", `${links}?$id=Countries('ES')`)).status).toBe(404);
    expect(await valueOf(`Trips(${id})/Countries?$select=Code`)).toEqual([{ Code: "PT" }]);
  });
});

describe("invalid writes are reported and change nothing", () => {
  const stop = { Position: 1, Place: "Lisbon" };

  test.each([
    ["POST Trips", { Titel: "x" }, 400, { code: "InvalidBody", target: "Titel", message: /did you mean Title\?/ }],
    ["POST Trips", {}, 400, { code: "InvalidBody", target: "Title", message: /is required/ }],
    ["POST Trips", { Title: null }, 400, { code: "NullNotAllowed", target: "Title", message: /must not be null/ }],
    [
      "POST Trips",
      { Title: "x", Status: "Boked" },
      400,
      { code: "InvalidBody", target: "Status", message: /Planned, Booked, Done/ },
    ],
    [
      "POST Trips",
      { Title: "x", Budget: 1.005 },
      400,
      { code: "InvalidBody", target: "Budget", message: /2 digits after the point/ },
    ],
    ["POST Trips", { Title: "x", Budget: -1 }, 400, { code: "InvalidBody", message: /rule of the database/ }],
    [
      "POST Trips",
      { Title: "x", StartsOn: "2027-02-30" },
      400,
      { code: "InvalidBody", target: "StartsOn", message: /a day that exists/ },
    ],
    ["POST Trips", { Title: "Portugal" }, 409, { code: "Conflict", target: "Title", message: /must be unique/ }],
    [
      "POST Trips",
      { Title: "x", Stops: [{ Position: 1 }] },
      400,
      { code: "InvalidBody", target: "Stops/0/Place", message: /is required/ },
    ],
    [
      "POST Trips",
      { Title: "x", Stops: [{ ...stop, CityId: 5 }] },
      409,
      { code: "Conflict", message: /Check TripId and CityId\./ },
    ],
    [
      "POST Trips",
      { Title: "x", "Countries@odata.bind": [] },
      501,
      { code: "NotImplemented", target: "Countries@odata.bind", message: /\$ref/ },
    ],
    [
      "POST Trips(ID)/Stops",
      { ...stop, TripId: 0 },
      400,
      { code: "InvalidBody", target: "TripId", message: /omit it/ },
    ],
    ["POST Trips(0)/Stops", stop, 404, { code: "NotFound", message: /no entity/ }],
    ["PATCH Trips(0)", { Title: "x" }, 404, { code: "NotFound", message: /no entity/ }],
    ["PATCH Trips(ID)", { Id: 0 }, 400, { code: "KeyMismatch", target: "key", message: /leave it out/ }],
    [
      "POST Trips(ID)/Countries/$ref",
      { "@odata.id": "Countries('XX')" },
      404,
      { code: "NotFound", target: "@odata.id", message: /no entity/ },
    ],
    [
      "POST Trips(ID)/Countries/$ref",
      { "@odata.id": "Cities(5)" },
      400,
      { code: "InvalidBody", target: "@odata.id", message: /Countries/ },
    ],
    ["PATCH Countries('PT')", { Name: "x" }, 405, { code: "MethodNotAllowed", message: /GET/ }],
    ["POST Cities", { Name: "x" }, 405, { code: "MethodNotAllowed", message: /GET/ }],
  ] as const)("%s %j: %i %o", async (request, body, status, { message, ...error }) => {
    const id = await createTrip();
    const [method = "", path = ""] = request.replace("ID", String(id)).split(" ");
    const answer = await send(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    expect(answer.body).toEqual({ error: { ...error, message: expect.stringMatching(message) as unknown } });
    expect(await valueOf("Trips?$expand=Stops,Countries&$select=Title,RowVersion")).toMatchObject([
      { Title: "Portugal", RowVersion: 1, Stops: [], Countries: [] },
    ]);
    expect(await valueOf("Stops")).toEqual([]);
  });
});

test.each(["", "Trips", "Trips?$expand=Stops,Countries", "Stops", "$metadata", "Trips/$count"])(
  "a browser reads /%s",
  async (path) => {
    const response = await fetch(`${root}/${path}`, {
      headers: {
        Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        "Accept-Encoding": "gzip, deflate, br, zstd",
        "Accept-Language": "de-DE,de;q=0.9,en;q=0.8",
        "Upgrade-Insecure-Requests": "1",
        "Sec-Fetch-Mode": "navigate",
      },
    });
    expect(response.status).toBe(200);
    // People get a page at the root; data has its own format.
    expect(response.headers.get("content-type")).toMatch(
      path === "" ? /^text\/html;charset=utf-8$/ : /^(?:application\/(?:json;odata.metadata=minimal|xml)|text\/plain)$/,
    );
    expect(await response.text()).not.toBe("");
  },
);
