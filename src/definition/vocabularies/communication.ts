/**
 * The terms and types of the vocabulary Communication, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const COMMUNICATION: string = `
Contact=ContactType
ContactType(){fn n=NameType nickname photo bday=.Date anniversary=.Date gender=GenderType title role org orgunit
  kind=KindType note adr=[AddressType] tel=[PhoneNumberType] email=[EmailAddressType] geo=[GeoDataType] url=[UrlType]}
NameType(){surname given additional prefix suffix}
Address=AddressType
AddressType(){building street district locality region code country pobox ext careof label
  type=ContactInformationType}
PhoneNumberType(){uri type=PhoneType}
EmailAddressType(){address type=ContactInformationType}
GeoDataType(){uri type=ContactInformationType}
UrlType(){uri type=ContactInformationType}
KindType|individual group org location
ContactInformationType*|work home preferred
PhoneType*|work home preferred voice cell fax video
GenderType|M F O N U
IsEmailAddress=.Boolean
IsPhoneNumber=.Boolean
Event=EventData
EventData(){summary description categories=[.] dtstart=.DateTimeOffset dtend=.DateTimeOffset duration=.Duration class
  status location transp=.Boolean wholeday=.Boolean fbtype}
Task=TaskData
TaskData(){summary description due=.DateTimeOffset completed=.DateTimeOffset percentcomplete=.Byte priority=.Byte}
Message=MessageData
MessageData(){from sender to=[.] cc=[.] bcc=[.] subject body keywords=[.] received=.DateTimeOffset}
`;
