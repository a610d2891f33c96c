/** The full name of the function whose call is a step. @see https://github.com/SAP/odata-vocabularies/blob/main/vocabularies/Hierarchy.md */
export const TOP_LEVELS = "com.sap.vocabularies.Hierarchy.v1.TopLevels";
