import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeDoor } from "../http/doors.ts";
import { PLACES, type Zoo } from "./zoo.ts";

/** Bodies without the service root; the code and message of errors. */
describe.each(PLACES)("casts in query options in $title", ({ open }) => {
  let zoo: Zoo;
  beforeAll(async () => {
    zoo = await open();
  });
  afterAll(() => zoo.close());

  test.each([
    ["Animals?$filter=Barks gt 1", 400, `InvalidQueryOption: $filter at position 0: 'Animal' has no property 'Barks'.`],
    [
      "Animals?$filter=Zoo.Dog/Barks gt 2",
      200,
      `{"@odata.context":"~/$metadata#Animals","value":[{"@odata.type":"#Zoo.Dog","Id":1,"Name":"Rex","KeeperId":1,"Version":1,"Barks":5,"Breed":"Pug"}]}`,
    ],
    [
      "Animals?$filter=not (Zoo.Dog/Barks gt 2)",
      200,
      `{"@odata.context":"~/$metadata#Animals","value":[{"@odata.type":"#Zoo.Cat","Id":2,"Name":"Tom","KeeperId":1,"Version":1,"Lives":7},{"@odata.type":"#Zoo.Puppy","Id":3,"Name":"Bit","KeeperId":2,"Version":1,"Barks":2,"Breed":null,"Born":"2026-01-02"},{"@odata.type":"#Zoo.Cat","Id":4,"Name":"Mia","KeeperId":null,"Version":1,"Lives":9}]}`,
    ],
    [
      "Animals?$filter=isof(Zoo.Cat)",
      200,
      `{"@odata.context":"~/$metadata#Animals","value":[{"@odata.type":"#Zoo.Cat","Id":2,"Name":"Tom","KeeperId":1,"Version":1,"Lives":7},{"@odata.type":"#Zoo.Cat","Id":4,"Name":"Mia","KeeperId":null,"Version":1,"Lives":9}]}`,
    ],
    [
      "Animals?$filter=isof(Zoo.Animal)&$select=Id",
      200,
      `{"@odata.context":"~/$metadata#Animals(Id)","value":[{"@odata.type":"#Zoo.Dog","Id":1},{"@odata.type":"#Zoo.Cat","Id":2},{"@odata.type":"#Zoo.Puppy","Id":3},{"@odata.type":"#Zoo.Cat","Id":4}]}`,
    ],
    [
      "Animals/Zoo.Dog?$filter=isof(Zoo.Puppy)&$select=Id",
      200,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog(Id)","value":[{"@odata.type":"#Zoo.Puppy","Id":3}]}`,
    ],
    [
      "Animals/Zoo.Dog?$filter=isof(Zoo.Animal)&$select=Id",
      200,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog(Id)","value":[{"Id":1},{"@odata.type":"#Zoo.Puppy","Id":3}]}`,
    ],
    [
      "Animals/Zoo.Dog?$filter=Zoo.Dog/Name eq 'Rex'&$select=Id",
      200,
      `{"@odata.context":"~/$metadata#Animals/Zoo.Dog(Id)","value":[{"Id":1}]}`,
    ],
    [
      "Animals?$filter=Zoo.Dog/Name eq 'Rex'",
      501,
      `NotImplemented: $filter at position 0: 'Name' is no property of 'Zoo.Dog' alone: write Name, and isof(Zoo.Dog) to restrict it.`,
    ],
    [
      "Animals?$filter=Zoo.Dog/Zoo.Puppy/Born gt 2026-01-01&$select=Id",
      200,
      `{"@odata.context":"~/$metadata#Animals(Id)","value":[{"@odata.type":"#Zoo.Puppy","Id":3}]}`,
    ],
    [
      "Animals?$filter=Zoo.Puppy/Barks gt 1",
      501,
      `NotImplemented: $filter at position 0: 'Barks' is no property of 'Zoo.Puppy' alone: write Zoo.Dog/Barks, and isof(Zoo.Puppy) to restrict it.`,
    ],
    [
      "Animals?$filter=Zoo.Dog ne null",
      501,
      `NotImplemented: $filter at position 0: Type casts are not supported in $filter.`,
    ],
    [
      "Animals?$filter=Zoo.Keeper/Name eq 'x'",
      400,
      `InvalidQueryOption: $filter at position 0: Entities here are not 'Zoo.Keeper': cast to Zoo.Animal, Zoo.Dog, Zoo.Puppy, Zoo.Cat.`,
    ],
    [
      "Animals?$filter=Zoo.Lion/Name eq 'x'",
      400,
      `InvalidQueryOption: $filter at position 0: Entities here are not 'Zoo.Lion': cast to Zoo.Animal, Zoo.Dog, Zoo.Puppy, Zoo.Cat.`,
    ],
    [
      "Animals?$orderby=Zoo.Dog/Barks desc&$select=Id",
      200,
      `{"@odata.context":"~/$metadata#Animals(Id)","value":[{"@odata.type":"#Zoo.Dog","Id":1},{"@odata.type":"#Zoo.Puppy","Id":3},{"@odata.type":"#Zoo.Cat","Id":4},{"@odata.type":"#Zoo.Cat","Id":2}]}`,
    ],
    [
      "Animals?$select=Name,Zoo.Dog/Barks,Zoo.Cat/Lives",
      200,
      `{"@odata.context":"~/$metadata#Animals(Name,Zoo.Dog/Barks,Zoo.Cat/Lives)","value":[{"@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(1)","Name":"Rex","Barks":5},{"@odata.type":"#Zoo.Cat","@odata.id":"~/Animals(2)","Name":"Tom","Lives":7},{"@odata.type":"#Zoo.Puppy","@odata.id":"~/Animals(3)","Name":"Bit","Barks":2},{"@odata.type":"#Zoo.Cat","@odata.id":"~/Animals(4)","Name":"Mia","Lives":9}]}`,
    ],
    [
      "Animals?$select=Zoo.Dog/Name",
      501,
      `NotImplemented: $select at position 0: 'Name' is no property of 'Zoo.Dog' alone: write Name, and isof(Zoo.Dog) to restrict it.`,
    ],
    [
      "Animals?$select=*&$top=1",
      200,
      `{"@odata.context":"~/$metadata#Animals(*)","value":[{"@odata.type":"#Zoo.Dog","Id":1,"Name":"Rex","KeeperId":1,"Version":1,"Barks":5,"Breed":"Pug"}]}`,
    ],
    ["Animals?$select=Barks", 400, `InvalidQueryOption: $select at position 0: 'Animal' has no property 'Barks'.`],
    ["Animals?$select=Zoo.Dog", 400, `InvalidQueryOption: $select at position 0: Unknown operation 'Zoo.Dog'.`],
    [
      "Keepers?$expand=Animals/Zoo.Dog($select=Barks)",
      200,
      `{"@odata.context":"~/$metadata#Keepers(Animals(Barks))","value":[{"Id":1,"Name":"Ann","Animals":[{"@odata.type":"#Zoo.Dog","@odata.id":"~/Animals(1)","Barks":5}]},{"Id":2,"Name":"Bob","Animals":[{"@odata.type":"#Zoo.Puppy","@odata.id":"~/Animals(3)","Barks":2}]}]}`,
    ],
    [
      "Keepers?$expand=Animals/Zoo.Dog($filter=Barks gt 2;$count=true)",
      200,
      `{"@odata.context":"~/$metadata#Keepers","value":[{"Id":1,"Name":"Ann","Animals@odata.count":1,"Animals":[{"@odata.type":"#Zoo.Dog","Id":1,"Name":"Rex","KeeperId":1,"Version":1,"Barks":5,"Breed":"Pug"}]},{"Id":2,"Name":"Bob","Animals@odata.count":0,"Animals":[]}]}`,
    ],
    ["Keepers?$expand=*/Zoo.Dog", 400, `InvalidQueryOption: $expand at position 2: only /$ref may follow *.`],
    [
      "Keepers?$filter=Animals/any(a:a/Zoo.Dog/Barks gt 3)",
      200,
      `{"@odata.context":"~/$metadata#Keepers","value":[{"Id":1,"Name":"Ann"}]}`,
    ],
    [
      "Keepers?$filter=Animals/any(a:isof(a,Zoo.Puppy))",
      200,
      `{"@odata.context":"~/$metadata#Keepers","value":[{"Id":2,"Name":"Bob"}]}`,
    ],
    [
      "Keepers?$filter=Animals/Zoo.Dog/any(a:a/Barks gt 3)",
      501,
      `NotImplemented: $filter at position 8: Type casts are not supported in $filter.`,
    ],
    [
      "Animals?$apply=filter(isof(Zoo.Dog))/aggregate($count as N)",
      200,
      `{"@odata.context":"~/$metadata#Animals(N)","value":[{"N@odata.type":"#Decimal","N":2}]}`,
    ],
    [
      "Animals?$apply=groupby((Zoo.Dog/Breed),aggregate($count as N))",
      501,
      `NotImplemented: $apply at position 17: Type casts are not supported in $apply.`,
    ],
    [
      "Animals?$apply=groupby((Version),aggregate(Zoo.Dog/Barks with sum as S))",
      200,
      `{"@odata.context":"~/$metadata#Animals(Version,S)","value":[{"Version":1,"S@odata.type":"#Int64","S":7}]}`,
    ],
    [
      "Animals?$compute=Zoo.Dog/Barks mul 2 as B&$select=Id,B",
      200,
      `{"@odata.context":"~/$metadata#Animals(Id,B)","value":[{"@odata.type":"#Zoo.Dog","Id":1,"B@odata.type":"#Int64","B":10},{"@odata.type":"#Zoo.Cat","Id":2,"B":null},{"@odata.type":"#Zoo.Puppy","Id":3,"B@odata.type":"#Int64","B":4},{"@odata.type":"#Zoo.Cat","Id":4,"B":null}]}`,
    ],
    [
      "Animals?$apply=topcount(2,Version)",
      200,
      `{"@odata.context":"~/$metadata#Animals","value":[{"@odata.type":"#Zoo.Dog","Id":1,"Name":"Rex","KeeperId":1,"Version":1,"Barks":5,"Breed":"Pug"},{"@odata.type":"#Zoo.Cat","Id":2,"Name":"Tom","KeeperId":1,"Version":1,"Lives":7}]}`,
    ],
  ] as const)("%s", async (path, status, body) => {
    const response = await nodeDoor.to(zoo.service)(`/odata/${path.replaceAll(" ", "%20")}`);
    const { error } = response.json as { readonly error?: { readonly code: string; readonly message: string } };
    const text = JSON.stringify(response.json).replaceAll("http://service.example/odata/", "~/");
    expect([response.status, error === undefined ? text : `${error.code}: ${error.message}`]).toEqual([status, body]);
    expect(zoo.failures).toEqual([]);
  });
});
