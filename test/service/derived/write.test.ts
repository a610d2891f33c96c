import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeDoor } from "../http/doors.ts";
import { PLACES, type Zoo } from "./zoo.ts";

const ETAG = /"@odata\.etag":"\\"[^"]*\\"",/g;

/** Bodies without the service root and ETags; code, message and target of errors. The requests follow each other. */
describe.each(PLACES)("writes of derived types in $title", ({ open }) => {
  let zoo: Zoo;
  beforeAll(async () => {
    zoo = await open({ etag: ["version"], allowUpsert: true });
  });
  afterAll(() => zoo.close());

  test.each([
    [
      "POST Animals",
      `{"@odata.type":"#Zoo.Dog","Id":9,"Name":"Max","Version":1,"Barks":3}`,
      201,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(9)","Id":9,"Name":"Max","KeeperId":null,"Version":1,"Barks":3,"Breed":null}`,
    ],
    [
      "GET Animals(9)",
      ``,
      200,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(9)","Id":9,"Name":"Max","KeeperId":null,"Version":1,"Barks":3,"Breed":null}`,
    ],
    [
      "POST Animals",
      `{"@odata.type":"#Zoo.Dog","Id":10,"Name":"Max","Version":1,"Barks":3,"Lives":3}`,
      400,
      `InvalidBody: Zoo.Dog has no property "Lives": leave it out, or look up the names in $metadata. [Lives]`,
    ],
    [
      "POST Animals",
      `{"Id":10,"Name":"Max","Version":1}`,
      400,
      `InvalidBody: No entity is only a Zoo.Animal, which is abstract: write #Zoo.Dog, #Zoo.Puppy, #Zoo.Cat. [@odata.type]`,
    ],
    [
      "POST Animals",
      `{"@odata.type":"#Zoo.Lion","Id":10,"Name":"Max","Version":1}`,
      400,
      `InvalidBody: "#Zoo.Lion" is not Zoo.Animal or derived from it: write one of #Zoo.Animal, #Zoo.Dog, #Zoo.Puppy, #Zoo.Cat. [@odata.type]`,
    ],
    [
      "POST Animals",
      `{"@odata.type":"#Zoo.Dog","Id":10,"Name":"Max","Version":1}`,
      400,
      `InvalidBody: This member is required: it has no default and must not be null. [Barks]`,
    ],
    [
      "POST Animals",
      `{"@odata.type":"#Zoo.Cat","Id":11,"Name":"Luc","Version":1}`,
      201,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Cat","@odata.id":"~/Animals(11)","Id":11,"Name":"Luc","KeeperId":null,"Version":1,"Lives":9}`,
    ],
    [
      "POST Animals/Zoo.Dog",
      `{"Id":12,"Name":"Luc","Version":1,"Barks":1}`,
      201,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog/$entity","@odata.id":"~/Animals(12)","Id":12,"Name":"Luc","KeeperId":null,"Version":1,"Barks":1,"Breed":null}`,
    ],
    [
      "POST Animals/Zoo.Dog",
      `{"@odata.type":"#Zoo.Puppy","Id":13,"Name":"Luc","Version":1,"Barks":1,"Born":"2026-01-01"}`,
      201,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog/$entity","@odata.type":"#Zoo.Puppy","@odata.id":"~/Animals(13)","Id":13,"Name":"Luc","KeeperId":null,"Version":1,"Barks":1,"Breed":null,"Born":"2026-01-01"}`,
    ],
    [
      "POST Animals/Zoo.Dog",
      `{"@odata.type":"#Zoo.Cat","Id":14,"Name":"Luc","Version":1}`,
      400,
      `InvalidBody: "#Zoo.Cat" is not Zoo.Dog or derived from it: write one of #Zoo.Dog, #Zoo.Puppy. [@odata.type]`,
    ],
    [
      "PATCH Animals(9)",
      `{"Barks":4}`,
      400,
      `InvalidBody: Zoo.Animal has no property "Barks": leave it out, or look up the names in $metadata. [Barks]`,
    ],
    [
      "PATCH Animals(9)",
      `{"Name":"Moritz"}`,
      200,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(9)","Id":9,"Name":"Moritz","KeeperId":null,"Version":1,"Barks":3,"Breed":null}`,
    ],
    [
      "PATCH Animals(9)",
      `{"@odata.type":"#Zoo.Dog","Barks":4}`,
      200,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(9)","Id":9,"Name":"Moritz","KeeperId":null,"Version":1,"Barks":4,"Breed":null}`,
    ],
    [
      "PATCH Animals(9)/Zoo.Dog",
      `{"Barks":5}`,
      200,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog/$entity","@odata.id":"~/Animals(9)","Id":9,"Name":"Moritz","KeeperId":null,"Version":1,"Barks":5,"Breed":null}`,
    ],
    [
      "PATCH Animals(9)/Zoo.Dog",
      `{"Barks":null}`,
      400,
      `NullNotAllowed: This value must not be null: give it a value. [Barks]`,
    ],
    ["PATCH Animals(2)/Zoo.Dog", `{"Barks":5}`, 404, `NotFound: Animals/Zoo.Dog has no entity with the key (2).`],
    [
      "PATCH Animals(2)",
      `{"@odata.type":"Zoo.Dog","Barks":5}`,
      404,
      `NotFound: Animals/Zoo.Dog has no entity with the key (2).`,
    ],
    [
      "PATCH Animals(3)",
      `{"@odata.type":"#Zoo.Dog","Barks":8}`,
      200,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Puppy","@odata.id":"~/Animals(3)","Id":3,"Name":"Bit","KeeperId":2,"Version":1,"Barks":8,"Breed":null,"Born":"2026-01-02"}`,
    ],
    [
      "PUT Animals(9)",
      `{"@odata.type":"#Zoo.Dog","Name":"Put","Version":2,"Barks":1}`,
      200,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(9)","Id":9,"Name":"Put","KeeperId":null,"Version":2,"Barks":1,"Breed":null}`,
    ],
    ["PUT Animals(9)", `{"@odata.type":"#Zoo.Cat","Name":"Put","Version":2}`, 409, `Conflict`],
    [
      "PUT Animals(9)",
      `{"Name":"Put","Version":2}`,
      400,
      `InvalidBody: No entity is only a Zoo.Animal, which is abstract: write #Zoo.Dog, #Zoo.Puppy, #Zoo.Cat. [@odata.type]`,
    ],
    [
      "PUT Animals(20)",
      `{"@odata.type":"#Zoo.Cat","Name":"New","Version":2}`,
      201,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Cat","@odata.id":"~/Animals(20)","Id":20,"Name":"New","KeeperId":null,"Version":2,"Lives":9}`,
    ],
    [
      "PUT Animals(21)/Zoo.Cat",
      `{"Name":"New","Version":2}`,
      201,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Cat/$entity","@odata.id":"~/Animals(21)","Id":21,"Name":"New","KeeperId":null,"Version":2,"Lives":9}`,
    ],
    ["PUT Animals(2)/Zoo.Dog", `{"Name":"New","Version":2,"Barks":2}`, 409, `Conflict`],
    ["PATCH Animals(9)/Zoo.Dog/Barks", `{"value":6}`, 204, ``],
    ["PUT Animals(9)/Zoo.Dog/Barks", `{"value":6}`, 204, ``],
    ["GET Animals(9)/Zoo.Dog/Barks", ``, 200, `{"@odata.context":"~/$metadata#Animals(9)/Zoo.Dog/Barks","value":6}`],
    ["DELETE Animals(2)/Zoo.Dog", ``, 204, ``],
    ["GET Animals(2)/Zoo.Cat/Lives", ``, 200, `{"@odata.context":"~/$metadata#Animals(2)/Zoo.Cat/Lives","value":7}`],
    ["DELETE Animals(9)/Zoo.Dog", ``, 204, ``],
    ["DELETE Animals(2)", ``, 204, ``],
    ["GET Animals(2)", "", 404, "NotFound: Animals has no entity with the key (2)."],
  ] as const)("%s %s", async (line, sent, status, body) => {
    const [method = "", path = ""] = line.split(" ");
    const headers = { "content-type": "application/json" };
    const send = nodeDoor.to(zoo.service);
    const response = await send(`/odata/${path}`, headers, method, sent === "" ? undefined : sent);
    const json = (response.json ?? {}) as { error?: { code: string; message: string; target?: string } };
    const { code = "", message = "", target } = json.error ?? {};
    const fault = `${code}: ${message}${target === undefined ? "" : ` [${target}]`}`;
    const text = response.text.replaceAll("http://service.example/odata/", "~/").replaceAll(ETAG, "");
    // Memory and databases name the conflict differently.
    const shown = code === "Conflict" ? code : fault;
    expect([response.status, json.error === undefined ? text : shown]).toEqual([status, body]);
    expect(zoo.failures).toEqual([]);
  });
});
