package io.muster.faults;

import io.muster.sandbox.MusterProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Which certificate a process shows now, whoever may have signed it. */
public final class Shown {

  private Shown() {}

  static X509Certificate by(MusterProcess process) {
    try {
      int port = URI.create(process.webhookUrl()).getPort();
      try (var socket =
          (SSLSocket)
              trustingAnybody()
                  .getSocketFactory()
                  .createSocket(InetAddress.getLoopbackAddress(), port)) {
        socket.startHandshake();
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
      }
    } catch (IOException e) {
      throw new IllegalStateException("no certificate was shown", e);
    }
  }

  /** Clients that do not mind whom they talk to. */
  public static SSLContext trustingAnybody() {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Anybody()}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no TLS", e);
    }
  }

  /** Believes everybody: only to look. */
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
