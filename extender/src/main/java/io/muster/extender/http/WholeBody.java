package io.muster.extender.http;

import io.javalin.http.Context;
import java.io.IOException;

/** The body of a call, as long as it says or may be. */
final class WholeBody {

  private WholeBody() {}

  /**
   * Reads it into an array of the length that the caller states, where one is stated.
   *
   * @param most bytes that are of use; what comes back is one longer where the body is too long
   * @throws IOException if it breaks off
   */
  static byte[] read(Context context, int most) throws IOException {
    int stated = context.contentLength();
    // One more, so that the end of the stream is seen.
    int limit = stated >= 0 && stated < most ? stated + 1 : most + 1;
    return context.bodyInputStream().readNBytes(limit);
  }
}
