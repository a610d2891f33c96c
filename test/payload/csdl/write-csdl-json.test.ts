import { expect, test } from "vitest";
import { writeCsdlJson } from "../../../src/payload/csdl/write-csdl-json.ts";
import type { XmlElement } from "../../../src/payload/csdl/xml.ts";

type Attributes = XmlElement["attributes"];

function element(
  name: string,
  attributes: Attributes = {},
  children: readonly XmlElement[] = [],
  text?: string,
): XmlElement {
  return { name, attributes, children, ...(text === undefined ? {} : { text }) };
}

function documentOf(references: readonly XmlElement[], schema: readonly XmlElement[]): unknown {
  const services = element("edmx:DataServices", {}, [element("Schema", { Namespace: "S" }, schema)]);
  return JSON.parse(writeCsdlJson(element("edmx:Edmx", { Version: "4.0" }, [...references, services])));
}

test("a document without references and container has no members for them", () => {
  expect(documentOf([], [])).toEqual({ $Version: "4.0", S: {} });
});

test("references may lack an alias, a namespace or a URL", () => {
  const references = [
    element("edmx:Reference", {}, [element("edmx:Include", { Namespace: "No.Url" })]),
    element("edmx:Reference", { Uri: "u" }, [
      element("edmx:Include", {}),
      element("edmx:Include", { Namespace: "V.V1", Alias: "V" }),
    ]),
  ];
  const record = (type: string): XmlElement =>
    element("Annotation", { Term: "V.V1.T" }, [element("Record", { Type: type })]);
  const types = ["V.V1.R", "No.Url.R", "Else.R"].map((type, index) =>
    element("ComplexType", { Name: `C${String(index)}` }, [record(type)]),
  );
  expect(documentOf(references, types)).toMatchObject({
    S: {
      C0: { "@V.T": { "@odata.type": "u#V.R" } },
      C1: { "@V.T": { "@odata.type": "#No.Url.R" } },
      C2: { "@V.T": { "@odata.type": "#Else.R" } },
    },
  });
});

test("overloads of one name are listed together", () => {
  expect(documentOf([], [element("Function", { Name: "F" }), element("Function", { Name: "F" })])).toMatchObject({
    S: { F: [{ $Kind: "Function" }, { $Kind: "Function" }] },
  });
});

test.each([
  [element("Annotation", { Term: "V.T" }, [element("EnumMember", {}, [], "V.E/A V.E/B")]), "A,B"],
  [element("Annotation", { Term: "V.T" }, [element("EnumMember", {})]), ""],
  [element("Annotation", { Term: "V.T" }), true],
  [
    element("Annotation", { Term: "V.T" }, [
      element("Null", {}, [element("Annotation", { Term: "V.U", Bool: "true" })]),
    ]),
    { "@V.U": true, $Null: null },
  ],
  [
    element("Annotation", { Term: "V.T" }, [element("Collection", {}, [element("EnumMember", {}, [], "V.E/A V.E/B")])]),
    [{ $Cast: "A,B", $Type: "V.E" }],
  ],
  [
    element("Annotation", { Term: "V.T" }, [element("Record", {}, [element("PropertyValue", { Bool: "true" })])]),
    { "": true },
  ],
])("an annotation is written: %j", (annotation, value) => {
  const written = documentOf([], [element("ComplexType", { Name: "C" }, [annotation])]) as {
    readonly S: { readonly C: Readonly<Record<string, unknown>> };
  };
  expect(written.S.C["@V.T"]).toEqual(value);
});
