/** The failures of the default client: as all others, but TLS is explained by its options. */
import { causes, FetchError, fetchErrorOf } from '../failure.ts';
import { adviceOnOptions, isTls, tlsReason } from '../tls-failure.ts';

/** Turns anything that went wrong below the default client into a {@link FetchError}. */
export function clientFailure(thrown: unknown): FetchError {
  const failure = fetchErrorOf(thrown);
  if (failure.code !== 'tls') return failure;
  for (const error of causes(thrown)) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (!isTls(code)) continue;
    const { says, ...option } = adviceOnOptions(code);
    return new FetchError('tls', `${tlsReason(error)}${says}`, { ...option, cause: thrown });
  }
  return failure;
}
