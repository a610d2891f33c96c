import { complexType, edm, entityType, enumType, type EntityOf } from "odatakit";

export const Region = enumType("Region", { Africa: 0, Americas: 1, Antarctic: 2, Asia: 3, Europe: 4, Oceania: 5 });

export const Location = complexType("Location", {
  latitude: edm.double(),
  longitude: edm.double(),
});

export const Currency = complexType("Currency", {
  code: edm.string({ maxLength: 3 }),
  name: edm.string(),
  symbol: edm.string().nullable(),
});

export const Country = entityType("Country", {
  code: edm.string({ maxLength: 2 }).key().describe("ISO 3166-1 alpha-2"),
  code3: edm.string({ maxLength: 3 }).describe("ISO 3166-1 alpha-3"),
  name: edm.string(),
  officialName: edm.string(),
  region: edm.enum(Region),
  subregion: edm.string().nullable(),
  capital: edm.string().nullable(),
  area: edm.double().nullable().describe("Square kilometres"),
  independent: edm.boolean().nullable(),
  unMember: edm.boolean(),
  landlocked: edm.boolean(),
  flag: edm.string().nullable(),
  location: edm.complex(Location),
  languages: edm.collection(edm.string()),
  domains: edm.collection(edm.string()).describe("Top-level domains of the Internet"),
  currencies: edm.collection(edm.complex(Currency)),
});

export const City = entityType("City", {
  id: edm.int32().key().describe("GeoNames id"),
  name: edm.string(),
  alternativeName: edm.string().nullable(),
  countryCode: edm.string({ maxLength: 2 }),
  adminCode: edm.string().nullable(),
  featureCode: edm.string().nullable().describe("GeoNames feature code: PPLC is a capital"),
  population: edm.int32(),
  location: edm.complex(Location),
});

export const TripStatus = enumType("TripStatus", { Planned: 0, Booked: 1, Done: 2 });

export const Trip = entityType(
  "Trip",
  {
    id: edm.int32().key().computed().annotate({ "Common.Label": "Number" }),
    title: edm.string({ maxLength: 80 }).annotate({ "Common.Label": "Title" }),
    status: edm.enum(TripStatus).default("Planned").annotate({ "Common.Label": "Status" }),
    startsOn: edm.date().nullable().annotate({ "Common.Label": "First day" }),
    budget: edm.decimal({ precision: 10, scale: 2 }).nullable().annotate({ "Common.Label": "Budget" }),
    notes: edm.string({ maxLength: 2000 }).nullable().annotate({ "Common.Label": "Notes", "UI.MultiLineText": true }),
    rowVersion: edm.int32().computed().describe("Counts the writes of the trip").annotate({ "UI.Hidden": true }),
  },
  {
    // The columns of a list of trips, and the title of the page of one trip.
    annotations: {
      "UI.HeaderInfo": { TypeName: "Trip", TypeNamePlural: "Trips", Title: { Value: { $Path: "title" } } },
      "UI.LineItem": [
        { Value: { $Path: "title" } },
        { Value: { $Path: "status" } },
        { Value: { $Path: "startsOn" }, "@UI.Importance": "High" },
      ],
    },
  },
);

export const Stop = entityType("Stop", {
  id: edm.int32().key().computed(),
  tripId: edm.int32(),
  position: edm.int16().describe("Where it comes among the stops of its trip").annotate({ "Common.Label": "Position" }),
  place: edm.string({ maxLength: 80 }).annotate({ "Common.Label": "Place" }),
  nights: edm.byte().default(1).annotate({ "Common.Label": "Nights" }),
  cityId: edm
    .int32()
    .nullable()
    .annotate({
      "Common.Label": "City",
      // Pages of SAP UI5 show the name, and let the user choose one of the cities.
      "Common.Text": { $Path: "city/name" },
      "Common.ValueList": {
        CollectionPath: "Cities",
        SearchSupported: true,
        Parameters: [
          { "@type": "Common.ValueListParameterInOut", LocalDataProperty: "cityId", ValueListProperty: "id" },
          { "@type": "Common.ValueListParameterDisplayOnly", ValueListProperty: "name" },
        ],
      },
    }),
});

/** The one who travels: the entity of the singleton `Me`. */
export const Traveller = entityType("Traveller", {
  id: edm.int32().key().computed(),
  name: edm.string({ maxLength: 80 }).annotate({ "Common.Label": "Name" }),
  homeCode: edm.string({ maxLength: 2 }).nullable().describe("The country where trips begin"),
});

export type Country = EntityOf<typeof Country>;
export type City = EntityOf<typeof City>;
