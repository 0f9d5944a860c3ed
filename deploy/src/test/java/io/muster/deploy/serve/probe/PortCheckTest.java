package io.muster.deploy.serve.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.ServerNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PortCheckTest {

  private static final Duration HANDSHAKE = Duration.ofSeconds(10);

  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @ParameterizedTest
  @EnumSource(ClientAuth.class)
  void aPortThatAnswersIsWellWhateverItAsksOfItsCallers(ClientAuth clientAuth) {
    var certificates =
        Certificates.ensure(
            new InMemoryCertificateStore(), ServerNames.of("localhost"), InstantSource.system());
    var app =
        Javalin.create(
                java -> {
                  java.startup.showJavalinBanner = false;
                  TlsListener.on("0.0.0.0", 0, certificates, clientAuth).install(java);
                })
            .start();
    try {
      var check = check(new InetSocketAddress("0.0.0.0", app.port()), HANDSHAKE);
      now = now.plusSeconds(31);
      assertThat(check.failure()).contains("the webhook port has not answered for 31 s");

      check.begin();

      Awaitility.await().until(() -> check.failure().isEmpty());
    } finally {
      app.stop();
    }
  }

  @Test
  void aPortThatAcceptsAndSaysNothingFailsOnceThatHasLasted() throws IOException {
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      var check =
          check(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), silent.getLocalPort()),
              Duration.ofMillis(100));
      now = now.plusSeconds(30);
      assertThat(check.failure()).isEmpty();

      check.begin();
      now = now.plusSeconds(1);

      assertThat(check.failure()).contains("the webhook port has not answered for 31 s");
    }
  }

  private PortCheck check(InetSocketAddress bound, Duration handshake) {
    return new PortCheck("the webhook port", bound, handshake, Duration.ofSeconds(30), () -> now);
  }
}
