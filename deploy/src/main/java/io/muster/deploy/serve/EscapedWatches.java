package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * Events of a watch in ASCII: what lies beyond it, which JSON has within strings only, is escaped.
 * The client decodes each piece of the stream by itself and takes the whole array of what comes
 * out, so that a character of several bytes leaves zeros behind, and one that is cut between two
 * pieces is lost; either ends the watch. Safe for concurrent use.
 */
final class EscapedWatches implements Interceptor {

  static final String NAME = "ESCAPED_WATCHES";

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    var query = request.uri().getRawQuery();
    if (query == null || !query.contains("watch=true")) {
      return consumer;
    }
    var stream = new Stream();
    return (pieces, body) -> consumer.consume(pieces.stream().map(stream::escaped).toList(), body);
  }

  /** Of one watch; its pieces come one after the other. */
  static final class Stream {

    private static final int SPARE_CHARS = 4;
    private static final HexFormat HEX = HexFormat.of();

    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);

    /** The first bytes of a character whose others are still to come. */
    private ByteBuffer begun = ByteBuffer.allocate(0);

    ByteBuffer escaped(ByteBuffer piece) {
      if (!begun.hasRemaining() && isAscii(piece)) {
        return piece;
      }
      var bytes = ByteBuffer.allocate(begun.remaining() + piece.remaining());
      bytes.put(begun).put(piece).flip();
      var chars = CharBuffer.allocate(bytes.remaining() + SPARE_CHARS);
      decoder.decode(bytes, chars, false);
      begun = bytes.slice();
      return ascii(chars.flip());
    }

    private static boolean isAscii(ByteBuffer piece) {
      for (int i = piece.position(); i < piece.limit(); i++) {
        if (piece.get(i) < 0) {
          return false;
        }
      }
      return true;
    }

    private static ByteBuffer ascii(CharBuffer chars) {
      var out = new ByteArrayOutputStream(chars.remaining());
      while (chars.hasRemaining()) {
        char next = chars.get();
        if (next < 0x80) {
          out.write(next);
        } else {
          out.writeBytes(("\\u" + HEX.toHexDigits(next)).getBytes(StandardCharsets.US_ASCII));
        }
      }
      return ByteBuffer.wrap(out.toByteArray());
    }
  }
}
