package io.muster.faults;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * One HTTP/1.1 message, read whole: the bytes to pass on, and what they mean. Immutable.
 *
 * @param start request line or status line
 * @param headers lines as sent
 * @param raw the body as sent, with its chunk marks
 * @param content the body without chunk marks
 */
@SuppressWarnings("ArrayRecordComponent") // made, sent and forgotten
record HttpMessage(String start, List<String> headers, byte[] raw, byte[] content) {

  private static final int LONGEST_LINE = 64 * 1024;
  private static final byte[] NONE = {};

  HttpMessage {
    headers = List.copyOf(headers);
  }

  /** The next request of a connection; empty at its end. */
  static Optional<HttpMessage> request(InputStream in) throws IOException {
    return read(in, false);
  }

  /** The next final reply of a connection; empty at its end. */
  static Optional<HttpMessage> reply(InputStream in) throws IOException {
    return read(in, true);
  }

  /** As bytes; an offer to speak HTTP/2 instead is left out, since nobody here could accept it. */
  byte[] bytes() {
    var out = new ByteArrayOutputStream(raw.length + 512);
    boolean offersHttp2 = header("Upgrade").filter(value -> value.equals("h2c")).isPresent();
    line(out, start);
    for (var header : headers) {
      if (!offersHttp2 || !isOneOf(header, "Upgrade", "HTTP2-Settings", "Connection")) {
        line(out, header);
      }
    }
    line(out, "");
    out.writeBytes(raw);
    return out.toByteArray();
  }

  /** A reply of our own as bytes. */
  static byte[] bytes(HttpCall.Reply reply) {
    var body = reply.body().getBytes(StandardCharsets.UTF_8);
    var out = new ByteArrayOutputStream(body.length + 256);
    line(out, "HTTP/1.1 " + reply.status() + " Interfered");
    line(out, "Content-Type: application/json");
    line(out, "Content-Length: " + body.length);
    line(out, "");
    out.writeBytes(body);
    return out.toByteArray();
  }

  /** Whether the connection speaks something else from here on. */
  boolean changesProtocol() {
    return header("Upgrade").filter(value -> !value.equals("h2c")).isPresent();
  }

  HttpCall asCall() {
    var words = start.split(" ", 3);
    return new HttpCall(words[0], words[1].replaceFirst("\\?.*", ""), text());
  }

  HttpCall.Reply asReply() {
    return new HttpCall.Reply(Integer.parseInt(start.split(" ", 3)[1]), text());
  }

  private Optional<String> header(String name) {
    return value(headers, name);
  }

  private String text() {
    if (header("Content-Encoding").filter(value -> value.equals("gzip")).isEmpty()) {
      return new String(content, StandardCharsets.UTF_8);
    }
    try (var unpacked = new GZIPInputStream(new ByteArrayInputStream(content))) {
      return new String(unpacked.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException _) {
      return "";
    }
  }

  private static Optional<HttpMessage> read(InputStream in, boolean isReply) throws IOException {
    var start = line(in);
    if (start.isEmpty()) {
      return Optional.empty();
    }
    var headers = new ArrayList<String>();
    for (var next = requiredLine(in); !next.isEmpty(); next = requiredLine(in)) {
      headers.add(next);
    }
    var length = value(headers, "Content-Length");
    boolean chunked =
        value(headers, "Transfer-Encoding").filter(value -> value.equals("chunked")).isPresent();
    if (chunked) {
      return Optional.of(chunked(in, start.get(), headers));
    }
    byte[] body = NONE;
    if (length.isPresent()) {
      body = exactly(in, Integer.parseInt(length.get()));
    } else if (isReply && !hasNoBody(start.get())) {
      body = in.readAllBytes();
    }
    return Optional.of(new HttpMessage(start.get(), headers, body, body));
  }

  private static boolean hasNoBody(String statusLine) {
    return statusLine.matches("\\S+ (1..|204|304)\\b.*");
  }

  private static HttpMessage chunked(InputStream in, String start, List<String> headers)
      throws IOException {
    var raw = new ByteArrayOutputStream();
    var content = new ByteArrayOutputStream();
    int size;
    do {
      var mark = requiredLine(in);
      line(raw, mark);
      size = Integer.parseInt(mark.replaceFirst(";.*", "").strip(), 16);
      var chunk = exactly(in, size);
      raw.writeBytes(chunk);
      content.writeBytes(chunk);
      if (size > 0) {
        line(raw, requiredLine(in));
      }
    } while (size > 0);
    String trailer;
    do {
      trailer = requiredLine(in);
      line(raw, trailer);
    } while (!trailer.isEmpty());
    return new HttpMessage(start, headers, raw.toByteArray(), content.toByteArray());
  }

  private static Optional<String> value(List<String> headers, String name) {
    return headers.stream()
        .filter(header -> isOneOf(header, name))
        .map(header -> header.substring(name.length() + 1).strip().toLowerCase(Locale.ROOT))
        .findFirst();
  }

  private static boolean isOneOf(String header, String... names) {
    return Arrays.stream(names)
        .anyMatch(name -> header.regionMatches(true, 0, name + ":", 0, name.length() + 1));
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    var bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("a body broke off");
    }
    return bytes;
  }

  private static String requiredLine(InputStream in) throws IOException {
    return line(in).orElseThrow(() -> new EOFException("a message broke off"));
  }

  /** Empty at the end of the stream. */
  private static Optional<String> line(InputStream in) throws IOException {
    var bytes = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return Optional.empty();
      }
      bytes.write(next);
      if (bytes.size() > LONGEST_LINE) {
        throw new IOException("a line of a head is too long");
      }
    }
    var line = bytes.toString(StandardCharsets.ISO_8859_1);
    return Optional.of(line.endsWith("\r") ? line.substring(0, line.length() - 1) : line);
  }

  private static void line(ByteArrayOutputStream out, String line) {
    out.writeBytes((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
  }
}
