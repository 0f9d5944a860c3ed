package io.muster.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class HttpMessageTest {

  @Test
  void passesAChunkedRequestUnchangedAndReadsItsBody() throws IOException {
    var text =
        lines(
            "POST /v1/bind?x=1 HTTP/1.1",
            "Host: h",
            "Transfer-Encoding: chunked",
            "",
            "5",
            "{\"a\":",
            "2;note",
            "1}",
            "0",
            "Trailer: t",
            "");

    var request = HttpMessage.request(stream(text)).orElseThrow();

    assertThat(new String(request.bytes(), UTF_8)).isEqualTo(text);
    assertThat(request.asCall()).isEqualTo(new HttpCall("POST", "/v1/bind", "{\"a\":1}"));
    assertThat(request.asCall().json().path("a").asInt()).isEqualTo(1);
  }

  @Test
  void readsRequestAfterRequestOfOneConnection() throws IOException {
    var in =
        stream(
            "PUT /one HTTP/1.1\r\nContent-Length: 2\r\n\r\nab"
                + "GET /two HTTP/1.1\r\nHost: h\r\n\r\n");

    assertThat(HttpMessage.request(in).orElseThrow().asCall().body()).isEqualTo("ab");
    assertThat(HttpMessage.request(in).orElseThrow().asCall().path()).isEqualTo("/two");
    assertThat(HttpMessage.request(in)).isEmpty();
  }

  @Test
  void leavesOutTheOfferOfHttp2AndKeepsAnyOtherUpgrade() throws IOException {
    var offer =
        HttpMessage.request(
                stream(
                    lines(
                        "GET / HTTP/1.1",
                        "Connection: Upgrade, HTTP2-Settings",
                        "Upgrade: h2c",
                        "HTTP2-Settings: AAEA",
                        "Host: h",
                        "")))
            .orElseThrow();
    var watch =
        HttpMessage.request(
                stream("GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"))
            .orElseThrow();

    assertThat(new String(offer.bytes(), UTF_8)).isEqualTo("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(offer.changesProtocol()).isFalse();
    assertThat(watch.changesProtocol()).isTrue();
    assertThat(new String(watch.bytes(), UTF_8)).contains("Upgrade: websocket");
  }

  @Test
  void readsAPackedReply() throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write("{\"Error\":\"\"}".getBytes(UTF_8));
    }
    var whole = new ByteArrayOutputStream();
    whole.writeBytes(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
            .formatted(packed.size())
            .getBytes(UTF_8));
    whole.writeBytes(packed.toByteArray());

    var reply = HttpMessage.reply(new ByteArrayInputStream(whole.toByteArray())).orElseThrow();

    assertThat(reply.asReply()).isEqualTo(new HttpCall.Reply(200, "{\"Error\":\"\"}"));
    assertThat(reply.bytes()).isEqualTo(whole.toByteArray());
  }

  @Test
  void expectsNoBodyWhereThereIsNone() throws IOException {
    var in = stream("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");

    assertThat(HttpMessage.reply(in).orElseThrow().asReply().status()).isEqualTo(204);
    assertThat(HttpMessage.reply(in).orElseThrow().asReply().body()).isEqualTo("x");
  }

  @Test
  void noticesABodyThatBreaksOff() {
    assertThatThrownBy(
            () -> HttpMessage.request(stream("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab")))
        .isInstanceOf(EOFException.class);
  }

  private static String lines(String... lines) {
    return String.join("\r\n", lines) + "\r\n";
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }
}
