/**
 * The person of a grant that a passkey signed, with which it ends. The escapes of a zero character and of half a character are
 * removed before the details are read, because `jsonb` has neither.
 */
export const signers = String.raw`
alter table grants add column signer text;
update grants set signer = coalesce(parsed.details #>> '{by,owner}', parsed.details #>> '{by,principal}')
from (
  select id, regexp_replace(details, '(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1', 'g')::jsonb as details
  from grants where details like '%"isSigned":true%'
) as parsed
where grants.id = parsed.id and parsed.details ->> 'isSigned' = 'true';
`;
