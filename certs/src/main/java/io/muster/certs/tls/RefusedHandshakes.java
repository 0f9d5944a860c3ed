package io.muster.certs.tls;

import io.muster.certs.x509.ConnectionRefusal;
import io.muster.certs.x509.RefusedClientException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;

/** Finds out why a handshake failed. Safe for concurrent use if what it reports to is. */
record RefusedHandshakes(Consumer<ConnectionRefusal> report) implements SslHandshakeListener {

  // The JDK has no type for it.
  private static final String NO_CERTIFICATE = "Empty client certificate chain";

  // What the other side says in its alert when it is our certificate that it does not accept.
  private static final String ALERT = "Received fatal alert: ";

  @Override
  public void handshakeFailed(Event event, Throwable failure) {
    report.accept(refusal(failure));
  }

  static ConnectionRefusal refusal(Throwable failure) {
    return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
        .map(RefusedHandshakes::known)
        .filter(refusal -> refusal != ConnectionRefusal.OTHER)
        .findFirst()
        .orElse(ConnectionRefusal.OTHER);
  }

  private static ConnectionRefusal known(Throwable failure) {
    if (failure instanceof RefusedClientException refused) {
      return refused.refusal();
    }
    String message = String.valueOf(failure.getMessage());
    if (message.contains(NO_CERTIFICATE)) {
      return ConnectionRefusal.NO_CERTIFICATE;
    }
    boolean isOurs =
        message.contains(ALERT)
            && (message.contains("certificate") || message.contains("unknown_ca"));
    return isOurs ? ConnectionRefusal.DISTRUSTED : ConnectionRefusal.OTHER;
  }
}
