import {
  type Annotations,
  complexType,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasRequired,
  type ODataService,
  odataService,
  type ServiceOptions,
} from "odatakit";

const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Rights = enumType("Rights", { Read: 1, Write: 2 }, { isFlags: true });
const Address = complexType("Address", { city: edm.string(), zip: edm.string() });
const Customer = entityType(
  "Customer",
  { id: edm.int32().key(), name: edm.string(), secret: edm.string().ignored() },
  { annotations: { "UI.FieldGroup#C": { Data: [{ Value: { $Path: "name" } }] } } },
);

/** A service with an annotated type `Thing`, and the vocabulary X without known types. */
export function annotated(annotations: unknown, more: Partial<ServiceOptions> = {}): ODataService {
  const Thing = entityType(
    "Thing",
    {
      id: edm.int32().key(),
      name: edm.string().describe("The name"),
      status: edm.enum(Status),
      rights: edm.enum(Rights),
      place: edm.complex(Address),
      places: edm.collection(edm.complex(Address)),
      "first.name": edm.string().json("FirstName"),
      hidden: edm.string().ignored(),
      changed: edm.dateTimeOffset().computed(),
      born: edm.date().immutable(),
      note: edm.string().annotate({ "Common.Text": "a", "Common.Text@UI.TextArrangement": "TextOnly" }),
    },
    { annotations: annotations as Annotations },
  );
  return odataService({
    namespace: "Shop",
    profile: "standard",
    entitySets: [
      entitySet(Thing, {
        getAll: () => [],
        navigation: {
          customer: hasRequired(Customer, { target: "Customers", annotations: { "UI.FieldGroup#N": { Data: [] } } }),
          customers: hasMany(Customer, { target: "Customers" }),
        },
      }),
      entitySet(Customer, { getAll: () => [] }),
    ],
    functions: {
      best: fn({ returns: edm.collection(Customer), handler: () => [] }),
      now: fn({ returns: edm.string(), handler: () => "" }),
    },
    vocabularies: { X: { namespace: "com.example.X", uri: "https://example.com/x.xml" } },
    ...more,
  });
}

/** Returns the faults of annotations of the type `Thing`. */
export function faultsOf(annotations: unknown, more: Partial<ServiceOptions> = {}): readonly string[] {
  try {
    annotated(annotations, more);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ message, fix }) => `${message} ${fix}`);
  }
}

/** Returns the metadata document of a service as XML. */
export async function xmlOf(service: ODataService): Promise<string> {
  return (await service.fetch(new Request("http://localhost/$metadata"))).text();
}

/** A metadata document as JSON, as far as tests read it. */
type Csdl = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/** Returns the metadata document of a service as JSON. */
export async function jsonOf(service: ODataService): Promise<Csdl> {
  return (await service.fetch(new Request("http://localhost/$metadata?$format=json"))).json() as Promise<Csdl>;
}

/** Returns the annotations of the type `Thing` in XML, without white space between elements. */
export async function thingXml(annotations: unknown, more: Partial<ServiceOptions> = {}): Promise<string> {
  const xml = (await xmlOf(annotated(annotations, more))).replaceAll(/>\s+</gu, "><");
  const type = /<EntityType Name="Thing">.*?<\/EntityType>/u.exec(xml)?.[0] ?? "";
  return (
    /<\/?(?:Navigation)?Property[^>]*\/?>(?!.*<(?:Navigation)?Property )(?<own>.*)<\/EntityType>/u.exec(type)?.groups?.[
      "own"
    ] ?? ""
  );
}
