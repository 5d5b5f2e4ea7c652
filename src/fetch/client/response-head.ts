/** One request of `node:http`, up to the head of its response. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { onAbort, type StopSignal } from '../../runtime/abort.ts';
import { FetchError, unasked } from '../failure.ts';
import type { PooledRequest } from './connections.ts';
import { ResponseBody } from './response-body.ts';

/** A server may send informational responses before the real one; more than this many are a fault. */
const MOST_INFORMATIONAL = 32;

/** A response whose body has not been read. */
export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were received. */
  readonly rawHeaders: readonly string[];
  readonly body: ResponseBody;
}

/**
 * Sends a request; resolves when the head of its response has arrived.
 *
 * @param isRepeated - whether it was sent before, on a kept connection that the server had closed
 */
export function responseTo(
  options: PooledRequest,
  signal: StopSignal,
  isRepeated = false,
): Promise<ResponseHead> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let body: ResponseBody | undefined;
    let informational = 0;
    const request = httpRequest(options);
    const stopListening = onAbort(signal, (reason) => {
      reject(reason);
      body?.abort(reason);
      request.destroy();
    });
    request
      .on('information', () => {
        if (++informational > MOST_INFORMATIONAL) request.destroy(unasked());
      })
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(unasked());
      })
      .on('response', (message) => {
        body = new ResponseBody(message);
        const { statusCode: status = 0, statusMessage: statusText = '', headers, rawHeaders } = message;
        if (status >= 100) return resolve({ status, statusText, headers, rawHeaders, body });
        message.destroy();
        reject(new FetchError('bad-response', 'the response is not HTTP (its status does not exist)'));
      })
      .on('error', (error) => {
        if (body !== undefined) return body.break(error);
        const isStale = request.reusedSocket && isBroken(error) && !isRepeated && !signal.aborted;
        if (!isStale) return reject(error);
        // The server closed a kept connection just as it was used, which says nothing about the site.
        options.agent.closeUnused(options);
        resolve(responseTo(options, signal, true));
      })
      .on('close', stopListening)
      .end();
  });
}

function isBroken(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
