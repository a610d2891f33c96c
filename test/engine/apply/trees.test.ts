import fc from "fast-check";
import { role } from "odatakit";
import { afterAll, describe, expect, test } from "vitest";
import { caseCount, SEED } from "../../cases.ts";
import { nodeDoor, ORIGIN, type Answer, type Service, url } from "../../service/http/doors.ts";
import { FORMS, openParts, type Part } from "./tree-model.ts";

const opened = await Promise.all(FORMS.map(async (form) => ({ form, ...(await openParts(form)) })));
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

const part = (id: number, name: string, parentId: number | null): Part => ({ id, name, parentId });

/** Two trees, and a part whose parent does not exist. */
const PARTS: readonly Part[] = [
  part(1, "Car", null),
  part(2, "Bike", null),
  part(3, "Engine", 1),
  part(4, "Door", 1),
  part(5, "Valve", 3),
  part(6, "Wheel", 2),
  part(7, "Lost", 99),
  part(8, "Spring", 5),
];
await Promise.all(opened.map(({ fill }) => fill(PARTS)));

const TREE = "$root/Parts,PartsHierarchy,Id";
const top = (more = ""): string =>
  `com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Parts,HierarchyQualifier='PartsHierarchy',NodeProperty='Id'${more})`;

const read = (service: Service, options: Readonly<Record<string, string>>, user = "all"): Promise<Answer> =>
  nodeDoor.to(service)(url("/s/Parts", options), { Authorization: user });

/** The nodes of a response as `level:id+`, with + for expanded, - for collapsed nodes, and the number of shown descendants. */
function nodesOf({ json }: Answer): string {
  const signs: Readonly<Record<string, string>> = { expanded: "+", collapsed: "-", leaf: "" };
  return (json.value as readonly Readonly<Record<string, unknown>>[])
    .map((node) => {
      const { Id, DistanceFromRoot: level, DrillState: state, LimitedDescendantCount: count } = node;
      return `${String(level)}:${String(Id)}${signs[String(state)] ?? "?"}${count === 0 ? "" : `(${String(count)})`}`;
    })
    .join(" ");
}

const SELECT = "Id,DistanceFromRoot,DrillState,LimitedDescendantCount";

const CASES: ReadonlyArray<readonly [sentence: string, apply: string, nodes: string, user?: string]> = [
  ["without Levels, all nodes are shown in preorder", top(), "0:1+(4) 1:3+(2) 2:5+(1) 3:8 1:4 0:2+(1) 1:6 0:7"],
  ["one level shows the roots", top(",Levels=1"), "0:1- 0:2- 0:7"],
  ["two levels show their children", top(",Levels=2"), "0:1+(2) 1:3- 1:4 0:2+(1) 1:6 0:7"],
  [
    "an order is that of the children of one parent",
    `orderby(Name)/${top(",Levels=2")}`,
    "0:2+(1) 1:6 0:1+(2) 1:4 1:3- 0:7",
  ],
  ["ExpandLevels expands a node", top(',Levels=1,ExpandLevels=[{"NodeID":1,"Levels":1}]'), "0:1+(2) 1:3- 1:4 0:2- 0:7"],
  [
    "ExpandLevels expands nodes below one another, given as texts",
    top(',Levels=1,ExpandLevels=[{"NodeID":"1","Levels":1},{"NodeID":"3","Levels":null}]'),
    "0:1+(4) 1:3+(2) 2:5+(1) 3:8 1:4 0:2- 0:7",
  ],
  ["ExpandLevels collapses a node", top(',Levels=2,ExpandLevels=[{"NodeID":1,"Levels":0}]'), "0:1- 0:2+(1) 1:6 0:7"],
  ["an empty ExpandLevels changes nothing", top(",Levels=1,ExpandLevels=[]"), "0:1- 0:2- 0:7"],
  ["a node with a hidden parent is a root", top(",Levels=1"), "0:2- 0:3- 0:4 0:7", "1"],
  ["a user without rows sees no nodes", top(",Levels=1"), "", "none"],
  ["the tree is that of the rows that meet a condition", `filter(Id ne 3)/${top(",Levels=1")}`, "0:1- 0:2- 0:5- 0:7"],
  [
    "ancestors of the matching nodes make a tree with them",
    `ancestors(${TREE},filter(contains(Name,'Valve')),keep start)/${top()}`,
    "0:1+(2) 1:3+(1) 2:5",
  ],
  [
    "its nodes are collapsed only above matching nodes",
    `ancestors(${TREE},filter(contains(Name,'Valve')),keep start)/${top(",Levels=2")}`,
    "0:1+(1) 1:3-",
  ],
  ["ancestors without keep start lack the nodes", `ancestors(${TREE},filter(Id eq 8))`, "0:1+(2) 1:3+(1) 2:5"],
  ["one level of ancestors is the parent", `ancestors(${TREE},filter(Id eq 8),1)`, "2:5"],
  ["a root has no ancestors", `ancestors(${TREE},filter(Id eq 1))`, ""],
  ["a hidden node ends the way to the ancestors", `ancestors(${TREE},filter(Id eq 8))`, "0:5", "3"],
  ["descendants of a node", `descendants(${TREE},filter(Id eq 1))`, "0:3+(2) 0:4 1:5+(1) 2:8"],
  ["descendants with the node", `descendants(${TREE},filter(Id eq 3),keep start)`, "0:3+(2) 1:5+(1) 2:8"],
  ["one level of descendants are the children", `descendants(${TREE},filter(Id eq 1),1)`, "0:3- 0:4"],
  ["children with the node", `descendants(${TREE},filter(Id eq 1),1,keep start)`, "0:1+(2) 1:3- 1:4"],
  ["children in the order of the client", `descendants(${TREE},filter(Id eq 1),1)/orderby(Name)`, "0:4 0:3-"],
  ["a hidden child is absent", `descendants(${TREE},filter(Id eq 1),1)`, "0:4", "3"],
  [
    "children below a filter of the whole tree",
    `ancestors(${TREE},filter(Name eq 'Spring'),keep start)/descendants(${TREE},filter(Id eq 1),1)/orderby(Name)`,
    "0:3-",
  ],
  ["the nodes are those of an earlier condition", `filter(Id lt 5)/descendants(${TREE},filter(Id le 2),1)`, "0:3 0:4"],
  ["a condition may follow a navigation", `descendants(${TREE},filter(Parent/Name eq 'Car'),1)`, "0:5-"],
];

describe.each(opened)("$form", ({ service, statements, fill, form }) => {
  const cases = CASES.map(([sentence, apply, nodes, user = "all"]) => [sentence, apply, nodes, user] as const);
  test.each(cases)("%s", async (_sentence, apply, nodes, user) => {
    const answer = await read(service, { $apply: apply, $select: SELECT }, user);
    expect([answer.status, answer.json?.error]).toEqual([200, undefined]);
    expect(answer.json["@odata.context"]).toBe(`${ORIGIN}/s/$metadata#Parts(${SELECT})`);
    expect(nodesOf(answer)).toBe(nodes);
  });

  test("the places of nodes are values of other options", async () => {
    const options = {
      $apply: top(),
      $filter: "LimitedRank gt 0 and DistanceFromRoot lt 1",
      $orderby: "LimitedRank desc",
      $select: "Id,LimitedRank",
      $count: "true",
      $top: "1",
    };
    const answer = await read(service, options);
    expect([answer.status, answer.text]).toEqual([
      200,
      `{"@odata.context":"${ORIGIN}/s/$metadata#Parts(Id,LimitedRank)","@odata.count":2,"value":[{"Id":7,"LimitedRank@odata.type":"#Int64","LimitedRank":7}]}`,
    ]);
  });

  test("a page continues the tree, with the number of its nodes", async () => {
    const answer = await read(service, {
      $apply: top(",Levels=2"),
      $select: "Id",
      $skip: "2",
      $top: "3",
      $count: "true",
    });
    expect([answer.status, answer.json["@odata.count"], answer.json.value]).toEqual([
      200,
      6,
      [{ Id: 4 }, { Id: 2 }, { Id: 6 }],
    ]);
  });

  test("totals of descendants", async () => {
    const answer = await read(service, { $apply: `descendants(${TREE},filter(Id eq 1))/aggregate($count as N)` });
    expect([answer.status, answer.json.value]).toEqual([200, [{ "N@odata.type": "#Decimal", N: 4 }]]);
  });

  test("/$count counts the shown nodes", async () => {
    const answer = await nodeDoor.to(service)(url("/s/Parts/$count", { $apply: top(",Levels=2") }));
    expect([answer.status, answer.text]).toEqual([200, "6"]);
  });

  test("without a step of a hierarchy, places are absent, and null if selected", async () => {
    const whole = await read(service, { $filter: "Id eq 1" });
    expect(whole.json.value).toEqual([{ Id: 1, Name: "Car", ParentId: null }]);
    const selected = await read(service, { $filter: "Id eq 1", $select: "Id,DrillState,LimitedRank" });
    expect(selected.json.value).toEqual([{ Id: 1, DrillState: null, LimitedRank: null }]);
    const all = await read(service, { $apply: top(",Levels=1"), $select: "*", $top: "1" });
    expect(all.json.value).toEqual([
      {
        Id: 1,
        Name: "Car",
        ParentId: null,
        "DistanceFromRoot@odata.type": "#Int64",
        DistanceFromRoot: 0,
        DrillState: "collapsed",
        "LimitedDescendantCount@odata.type": "#Int64",
        LimitedDescendantCount: 0,
        "LimitedRank@odata.type": "#Int64",
        LimitedRank: 0,
      },
    ]);
  });

  test("related entities of the nodes can be expanded", async () => {
    const answer = await read(service, {
      $apply: `descendants(${TREE},filter(Id eq 1),1)`,
      $select: "Id",
      $expand: "Parent($select=Name)",
    });
    expect([answer.status, answer.json.value]).toEqual([
      200,
      [
        { Id: 3, Parent: { "@odata.id": `${ORIGIN}/s/Parts(1)`, Name: "Car" } },
        { Id: 4, Parent: { "@odata.id": `${ORIGIN}/s/Parts(1)`, Name: "Car" } },
      ],
    ]);
  });

  test.runIf(form !== "getAll")("a navigation shows no hierarchy", async () => {
    const answer = await nodeDoor.to(service)(url("/s/Parts(1)/Children", { $apply: top(",Levels=1") }));
    expect([answer.status, answer.json.error]).toEqual([
      501,
      expect.objectContaining({
        code: "NotImplemented",
        target: "$apply",
        message: expect.stringContaining("as a whole"),
      }),
    ]);
  });

  test("parents in a circle belong to no tree", async () => {
    await fill([...PARTS, part(20, "Hen", 21), part(21, "Egg", 20)]);
    const shown = await read(service, { $apply: top(), $select: SELECT });
    const below = await read(service, { $apply: `descendants(${TREE},filter(Id eq 20))`, $select: "Id" });
    await fill(PARTS);
    expect(nodesOf(shown)).toBe("0:1+(4) 1:3+(2) 2:5+(1) 3:8 1:4 0:2+(1) 1:6 0:7");
    expect(below.json.value).toEqual([{ Id: 20 }, { Id: 21 }]);
  });

  test.runIf(form !== "getAll")("a database finds the nodes by a recursive statement", async () => {
    statements.length = 0;
    await read(service, { $apply: `descendants(${TREE},filter(Id eq 3),1)`, $select: SELECT });
    expect(statements.some((text) => text.includes("with recursive"))).toBe(true);
  });
});

const REFUSALS: ReadonlyArray<readonly [apply: string, status: number, message: string]> = [
  ["descendants($root/Items,PartsHierarchy,Id,filter(Id eq 1))", 501, "The nodes are those of Parts"],
  ["descendants($root/Parts,Other,Id,filter(Id eq 1))", 400, "'Other' is not the qualifier of the hierarchy"],
  ["descendants($root/Parts,PartsHierarchy,Name,filter(Id eq 1))", 400, "'Name' is not the property of its nodes"],
  [`descendants(${TREE},identity)`, 501, "'identity' within descendants is not supported: write filter."],
  [`descendants(${TREE},filter(Id eq 1),1.5)`, 400, "The number of levels of descendants is a whole number"],
  [`descendants(${TREE},filter(Id eq 1),Id)`, 400, "The number of levels of descendants is a whole number"],
  [`descendants(${TREE},filter(Id eq 1),0)`, 400, "must be at least 1"],
  [`descendants(${TREE},filter(Id eq 1),1,2)`, 400, "keep start"],
  [`descendants(${TREE},filter(Id eq 1),keep end)`, 400, "start after keep"],
  ["descendants(Parts,PartsHierarchy,Id,filter(Id eq 1))", 400, "$root/Nodes"],
  [`groupby((Name),descendants(${TREE},filter(Id eq 1)))`, 501, "within groupby is not supported"],
  [`top(1)/descendants(${TREE},filter(Id eq 1))`, 501, "only as the first steps"],
  [`concat(descendants(${TREE},filter(Id eq 1)),identity)`, 501, "only as the first steps"],
  [top(",Levels='x'"), 400, "The number of levels of TopLevels is a whole number"],
  [top(",Levels=Id"), 400, "The number of levels of TopLevels is a whole number"],
  [top(",Levels=1,Levels=2"), 400, "The parameter Levels appears twice"],
  [top(",Level=1"), 400, "'Level' is not a parameter of TopLevels. Did you mean 'Levels'?"],
  [top(",Abc=1"), 400, "The parameters are HierarchyNodes"],
  [top(",Collapse=[]"), 501, "The parameter Collapse is not supported"],
  ["com.sap.vocabularies.Hierarchy.v1.TopLevels(Levels=1)", 400, "TopLevels needs the parameters"],
  [top(",ExpandLevels=1"), 400, "ExpandLevels is no list"],
  [top(',ExpandLevels={"NodeID":1}'), 400, "ExpandLevels is no list"],
  [top(",ExpandLevels=[{NodeID:1}]"), 400, "ExpandLevels is no JSON"],
  [top(",ExpandLevels=[[1]]"), 400, "contains a NodeID that is no key"],
  [top(',ExpandLevels=[{"NodeID":1},2]'), 400, "contains a value that is no object"],
  [top(',ExpandLevels=[{"NodeID":1,"Levels":-1}]'), 400, "contains Levels that is no whole number"],
  [top(',ExpandLevels=[{"Levels":1}]'), 400, "contains a NodeID that is no key"],
  [top(',ExpandLevels=[{"NodeID":"x"}]'), 400, "contains a NodeID of another type"],
];

test.each(REFUSALS)("%s is %i", async ($apply, status, message) => {
  const [first] = opened;
  const answer = await read(first?.service as Service, { $apply });
  expect([answer.status, answer.json.error]).toEqual([
    status,
    {
      code: expect.stringMatching(/^(?:InvalidQueryOption|NotImplemented)$/u),
      message: expect.stringContaining(message),
      target: "$apply",
    },
  ]);
});

const HANDLED: ReadonlyArray<readonly [apply: string, what: string]> = [
  [`descendants(${TREE},filter(Id eq 1))`, "Steps of a hierarchy are"],
  ["concat(identity,filter(Id gt 1))/aggregate($count as N)", "'concat' is"],
  ["concat(aggregate($count as N),aggregate(Id with max as M))", "'concat' is"],
  ["join(Children as Child)", "'join' is"],
  ["filter($these/$count gt 1)", "$these is"],
  ["topsum(3,Id)", "Rows up to a sum are"],
  ["groupby((Name),aggregate(Children/Id with sum as S))", "Aggregates along collections are"],
];

test.each(HANDLED)("a set with applyQuery refuses %s", async ($apply, what) => {
  const { service, close } = await openParts("getAll", {
    getAll: undefined,
    applyQuery: () => [],
    applyQueryOptions: ["apply", "compute"],
    authorization: undefined,
  });
  const answer = await read(service, { $apply });
  await close();
  expect([answer.status, answer.json.error]).toEqual([
    501,
    {
      code: "NotImplemented",
      message: `${what} not supported in $apply: the entity set applies the query itself.`,
      target: "$apply",
    },
  ]);
});

test("a user who may not read the parents sees no tree", async () => {
  const { service, fill, close } = await openParts("getAll", {
    authorization: { properties: { parentId: { read: role("boss") } } },
  });
  await fill(PARTS);
  const answer = await read(service, { $apply: top(",Levels=1") });
  await close();
  expect([answer.status, answer.json.error.code]).toEqual([403, "Forbidden"]);
});

test("a deep and a wide tree of many nodes", async () => {
  const { service, fill, close } = await openParts("getAll");
  const chain = Array.from({ length: 20_000 }, (_none, index) => part(index + 1, "deep", index === 0 ? null : index));
  const leaves = Array.from({ length: 20_000 }, (_none, index) => part(20_001 + index, "wide", 1));
  await fill([...chain, ...leaves]);
  const counts = await Promise.all(
    [
      top(),
      top(",Levels=2"),
      `descendants(${TREE},filter(Id eq 1))`,
      `ancestors(${TREE},filter(Id eq 20000),keep start)`,
    ].map(async ($apply) => (await read(service, { $apply, $top: "1", $count: "true" })).json["@odata.count"]),
  );
  await close();
  expect(counts).toEqual([40_000, 20_002, 39_999, 20_000]);
});

const node = fc.record({ name: fc.constantFrom("a", "b", "c"), parent: fc.option(fc.nat(30), { nil: null }) });
const step = fc.oneof(
  fc
    .record({
      levels: fc.integer({ min: 1, max: 4 }),
      expanded: fc.dictionary(fc.nat(20).map(String), fc.nat(3), { maxKeys: 3 }),
    })
    .map(({ levels, expanded }) =>
      top(
        `,Levels=${String(levels)},ExpandLevels=${JSON.stringify(Object.entries(expanded).map(([NodeID, Levels]) => ({ NodeID, Levels })))}`,
      ),
    ),
  fc
    .record({
      kind: fc.constantFrom("ancestors", "descendants"),
      condition: fc.constantFrom("Name eq 'a'", "Id lt 4", "Id eq 7", "Parent/Name eq 'b'"),
      more: fc.constantFrom("", ",1", ",2,keep start", ",keep start"),
    })
    .map(({ kind, condition, more }) => `${kind}(${TREE},filter(${condition})${more})`),
);
const pipeline = fc
  .tuple(fc.constantFrom("", "filter(Id ne 2)/"), fc.array(step, { minLength: 1, maxLength: 3 }))
  .map(([first, steps]) => first + steps.join("/"));

test("every form gives the same trees", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(node, { maxLength: 25 }),
      fc.array(pipeline, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("all", "3"),
      async (nodes, applied, user) => {
        const parts = nodes.map(({ name, parent }, index) => part(index + 1, name, parent));
        await Promise.all(opened.map(({ fill }) => fill(parts)));
        for (const $apply of applied) {
          const answers = await Promise.all(opened.map(({ service }) => read(service, { $apply }, user)));
          const [first, ...others] = answers.map(({ status, text }) => [status, text]);
          expect(first?.[0]).toBe(200);
          for (const other of others) expect(other).toEqual(first);
        }
      },
    ),
    { seed: SEED, numRuns: caseCount(300) },
  );
}, 300_000);
