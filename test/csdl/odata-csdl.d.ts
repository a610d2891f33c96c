/** The reader of CSDL XML of the OData committee, of which only this is used. */
declare module "odata-csdl" {
  export function xml2json(
    xml: string,
    options: { readonly strict: boolean; readonly annotations: boolean; readonly messages: unknown[] },
  ): Record<string, unknown>;
}
