/**
 * The terms and types of the vocabulary Core, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const CORE: string = `
ODataVersions=.
SchemaVersion=.
Revisions=[RevisionType]
RevisionType(){Version Kind=RevisionKind Description}
RevisionKind|Added Modified Deprecated
Description=.
LongDescription=.
Links=[Link]
Link(){rel href}
Example=ExampleValue
ExampleValue(){Description}
PrimitiveExampleValue(ExampleValue){Value=.PrimitiveType}
ComplexExampleValue(ExampleValue){Value=.ComplexType}
EntityExampleValue(ExampleValue){Value=.EntityType}
ExternalExampleValue(ExampleValue){ExternalValue}
Messages=[MessageType]
MessageType(){code message severity target details=[MessageType]}
ValueException=ValueExceptionType
ExceptionType!(){info=MessageType}
ValueExceptionType(ExceptionType){value}
ResourceException=ResourceExceptionType
ResourceExceptionType(ExceptionType){retryLink}
DataModificationException=DataModificationExceptionType
DataModificationExceptionType(ExceptionType){failedOperation=DataModificationOperationKind responseCode=.Int16}
DataModificationOperationKind|insert update upsert delete invoke link unlink
IsLanguageDependent=.Boolean
RequiresType=.
AppliesViaContainer=.Boolean
ResourcePath=.
DereferenceableIDs=.Boolean
ConventionalIDs=.Boolean
Permissions=Permission
Permission*|None Read Write ReadWrite Invoke
ContentID=.
DefaultNamespace=.Boolean
Immutable=.Boolean
Computed=.Boolean
ComputedDefaultValue=.Boolean
IsURL=.Boolean
AcceptableMediaTypes=[.]
MediaType=.
IsMediaType=.Boolean
ContentDisposition=ContentDispositionType
ContentDispositionType(){Type Filename}
OptimisticConcurrency=[.PropertyPath]
AdditionalProperties=.Boolean
AutoExpand=.Boolean
AutoExpandReferences=.Boolean
MayImplement=[.]
Ordered=.Boolean
PositionalInsert=.Boolean
AlternateKeys=[AlternateKey]
AlternateKey(){Key=[PropertyRef]}
PropertyRef(){Name=.PropertyPath Alias}
Dictionary()*{}
OptionalParameter=OptionalParameterType
OptionalParameterType(){DefaultValue}
OperationAvailable=.Boolean
RequiresExplicitBinding=.Boolean
ExplicitOperationBindings=[.]
SymbolicName=.
GeometryFeature=GeometryFeatureType
GeometryFeatureType(){geometry=.Geometry properties=Dictionary id}
AnyStructure=.Boolean
IsDelta=.Boolean
`;
