import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeDoor } from "../http/doors.ts";
import { PLACES, type Zoo } from "./zoo.ts";

const REX = '"Id":1,"Name":"Rex","KeeperId":1,"Version":1,"Barks":5,"Breed":"Pug"}';
const TOM = '"Id":2,"Name":"Tom","KeeperId":1,"Version":1,"Lives":7}';
const BIT = '"Id":3,"Name":"Bit","KeeperId":2,"Version":1,"Barks":2,"Breed":null,"Born":"2026-01-02"}';
const MIA = '"Id":4,"Name":"Mia","KeeperId":null,"Version":1,"Lives":9}';
const ALL = `{"@odata.type":"#Zoo.Dog",${REX},{"@odata.type":"#Zoo.Cat",${TOM},{"@odata.type":"#Zoo.Puppy",${BIT},{"@odata.type":"#Zoo.Cat",${MIA}`;
const DOGS = `{${REX},{"@odata.type":"#Zoo.Puppy",${BIT}`;

/** Bodies without the service root; the code and message of errors. */
describe.each(PLACES)("reads of derived types in $title", ({ open }) => {
  let zoo: Zoo;
  beforeAll(async () => {
    zoo = await open();
  });
  afterAll(() => zoo.close());

  test.each([
    ["Animals", 200, `{"@odata.context":"~/$metadata#Animals","value":[${ALL}]}`],
    ["Animals/Zoo.Animal", 200, `{"@odata.context":"~/$metadata#Animals","value":[${ALL}]}`],
    ["Animals/Zoo.Dog", 200, `{"@odata.context":"~/$metadata#Animals/Zoo.Dog","value":[${DOGS}]}`],
    [
      "Animals/Zoo.Dog?$orderby=Barks&$top=1&$select=Name",
      200,
      '{"@odata.context":"~/$metadata#Animals/Zoo.Dog(Name)","value":[{"@odata.type":"#Zoo.Puppy","@odata.id":"~/Animals(3)","Name":"Bit"}]}',
    ],
    ["Animals/Zoo.Dog/Zoo.Puppy", 200, `{"@odata.context":"~/$metadata#Animals/Zoo.Puppy","value":[{${BIT}]}`],
    ["Animals/Zoo.Dog/$count", 200, "2"],
    ["Animals/Zoo.Puppy/$count?$filter=Barks%20gt%205", 200, "0"],
    [
      "Animals(1)",
      200,
      `{"@odata.context":"~/$metadata#Animals/$entity","@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(1)",${REX}`,
    ],
    [
      "Animals(1)/Zoo.Dog",
      200,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog/$entity","@odata.id":"~/Animals(1)",${REX}`,
    ],
    [
      "Animals/Zoo.Dog(1)",
      200,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog/$entity","@odata.id":"~/Animals(1)",${REX}`,
    ],
    [
      "Animals(3)/Zoo.Dog",
      200,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog/$entity","@odata.type":"#Zoo.Puppy","@odata.id":"~/Animals(3)",${BIT}`,
    ],
    ["Animals(1)/Zoo.Dog/Barks", 200, '{"@odata.context":"~/$metadata#Animals(1)/Zoo.Dog/Barks","value":5}'],
    ["Animals(1)/Zoo.Dog/Barks/$value", 200, "5"],
    ["Animals(2)/Zoo.Dog", 404, "NotFound: Animals/Zoo.Dog has no entity with the key (2)."],
    ["Animals(2)/Zoo.Dog/Barks", 404, "NotFound: Animals/Zoo.Dog has no entity with the key (2)."],
    ["Animals(1)/Barks", 404, "NotFound: An entity of 'Animals' has no property or operation 'Barks'."],
    ["Animals/Zoo.Lion", 404, "NotFound: The entity set 'Animals' has no operation 'Zoo.Lion'."],
    ["Animals/Zoo.Keeper", 404, "NotFound: The entity set 'Animals' has no operation 'Zoo.Keeper'."],
    [
      "Animals%2FZoo.Dog",
      404,
      `NotFound: The path segment "Animals/Zoo.Dog" at position 1 is not a name. A name consists of letters, digits and underscores; put a key in parentheses, as in Name(1).`,
    ],
    [
      "Keepers?$expand=Animals($select=Name)&$filter=Id%20eq%201",
      200,
      '{"@odata.context":"~/$metadata#Keepers(Animals(Name))","value":[{"Id":1,"Name":"Ann","Animals":[{"@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(1)","Name":"Rex"},{"@odata.type":"#Zoo.Cat","@odata.id":"~/Animals(2)","Name":"Tom"}]}]}',
    ],
    [
      "Animals/Zoo.Cat?$expand=Keeper($select=Name)&$select=Name",
      200,
      '{"@odata.context":"~/$metadata#Animals/Zoo.Cat(Name,Keeper(Name))","value":[{"@odata.id":"~/Animals(2)","Name":"Tom","Keeper":{"@odata.id":"~/Keepers(1)","Name":"Ann"}},{"@odata.id":"~/Animals(4)","Name":"Mia","Keeper":null}]}',
    ],
    [
      "Animals/Zoo.Dog?$apply=aggregate(Barks%20with%20sum%20as%20S)",
      200,
      '{"@odata.context":"~/$metadata#Animals/Zoo.Dog(S)","value":[{"S@odata.type":"#Int64","S":7}]}',
    ],
  ] as const)("%s", async (path, status, body) => {
    const response = await nodeDoor.to(zoo.service)(`/odata/${path}`);
    const json = (response.json ?? {}) as { readonly error?: { readonly code: string; readonly message: string } };
    const text = response.text.replaceAll("http://service.example/odata/", "~/");
    const { error } = json;
    expect([response.status, error === undefined ? text : `${error.code}: ${error.message}`]).toEqual([status, body]);
    expect(zoo.failures).toEqual([]);
  });

  test("full control information names every type, minimal none that the context declares, none no type", async () => {
    const send = nodeDoor.to(zoo.service);
    const names = async (metadata: string): Promise<unknown> => {
      const { json } = await send("/odata/Animals/Zoo.Dog?$select=Id", {
        accept: `application/json;odata.metadata=${metadata}`,
      });
      return (json as { value: object[] }).value.map((each) => Reflect.get(each, "@odata.type") as unknown);
    };
    expect(await names("full")).toEqual(["#Zoo.Dog", "#Zoo.Puppy"]);
    expect(await names("minimal")).toEqual([undefined, "#Zoo.Puppy"]);
    expect(await names("none")).toEqual([undefined, undefined]);
  });

  test("keyset pages lead through the entities of a cast", async () => {
    const paged = await open({ paging: "keyset", maxTop: 1 }, { secret: "0123456789abcdef0123456789abcdef" });
    const send = nodeDoor.to(paged.service);
    const seen: unknown[] = [];
    let url = "/odata/Animals/Zoo.Dog?$orderby=Barks&$select=Id";
    for (let page = 0; page < 3 && url !== ""; page += 1) {
      const { json } = await send(url);
      const { value, "@odata.nextLink": next = "" } = json as {
        value: Array<{ Id: number }>;
        "@odata.nextLink"?: string;
      };
      seen.push(...value.map(({ Id }) => Id));
      url = next.replace("http://service.example", "");
    }
    expect(seen).toEqual([3, 1]);
    expect(paged.failures).toEqual([]);
    await paged.close();
  });
});
