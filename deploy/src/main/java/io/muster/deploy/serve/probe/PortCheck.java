package io.muster.deploy.serve.probe;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Asks one TLS port of this process for a handshake, now and then. A port whose threads all hang
 * accepts connections and does nothing more, and only its callers would notice. A check that fails
 * is no failure yet: a machine may be slow for a while. Safe for concurrent use.
 */
public final class PortCheck {

  private final String name;
  private final InetSocketAddress target;
  private final Duration handshake;
  private final Duration tolerated;
  private final InstantSource clock;
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private volatile Instant answered;

  /**
   * @param name of the port, for the sentence about its failure
   * @param bound the IP address that the port listens on, maybe 0.0.0.0
   * @param handshake how long one may take
   * @param tolerated how long the port may go without an answer before that counts as a failure
   * @param clock one that never goes back
   */
  public PortCheck(
      String name,
      InetSocketAddress bound,
      Duration handshake,
      Duration tolerated,
      InstantSource clock) {
    this.name = name;
    this.target =
        bound.getAddress().isAnyLocalAddress()
            ? new InetSocketAddress(InetAddress.getLoopbackAddress(), bound.getPort())
            : bound;
    this.handshake = handshake;
    this.tolerated = tolerated;
    this.clock = clock;
    this.answered = clock.instant();
  }

  /** Asks once, on a thread of its own; does nothing while it still asks. */
  public void begin() {
    if (isAsking.compareAndSet(false, true)) {
      Thread.ofVirtual().name("muster-port-check").start(this::ask);
    }
  }

  private void ask() {
    try {
      shakeHands();
      answered = clock.instant();
    } catch (IOException _) {
      // The next one may go better; how long that has been so is what counts.
    } finally {
      isAsking.set(false);
    }
  }

  /** Why the process should be started anew; empty while all is well. */
  public Optional<String> failure() {
    var silent = Duration.between(answered, clock.instant());
    return silent.compareTo(tolerated) <= 0
        ? Optional.empty()
        : Optional.of("%s has not answered for %d s".formatted(name, silent.toSeconds()));
  }

  private void shakeHands() throws IOException {
    int millis = Math.toIntExact(handshake.toMillis());
    try (var plain = new Socket()) {
      plain.connect(target, millis);
      plain.setSoTimeout(millis);
      var sockets = tls().getSocketFactory();
      try (var socket =
          (SSLSocket)
              sockets.createSocket(plain, target.getHostString(), target.getPort(), false)) {
        socket.startHandshake();
      }
    }
  }

  private static SSLContext tls() {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Anybody()}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no TLS", e);
    }
  }

  /** The question is whether there is an answer; nothing is sent to whoever gives it. */
  private static final class Anybody implements X509TrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
