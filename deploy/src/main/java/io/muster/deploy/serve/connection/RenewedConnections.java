package io.muster.deploy.serve.connection;

import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.time.Duration;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Gives clients of the apiserver that leave a dead connection ({@link RenewedClient}). */
public final class RenewedConnections extends JdkHttpClientFactory {

  private static final Duration BEAT = Duration.ofSeconds(30);

  private final Duration beat;

  public RenewedConnections() {
    this(BEAT);
  }

  RenewedConnections(Duration beat) {
    this.beat = beat;
  }

  @Override
  protected HttpClient.Builder createNewHttpClientBuilder() {
    return new Builder(super.createNewHttpClientBuilder(), beat);
  }

  /** Passes everything on, and builds another client. */
  private record Builder(HttpClient.Builder plain, Duration beat) implements HttpClient.Builder {

    @Override
    public HttpClient build() {
      return new RenewedClient(plain::build, beat);
    }

    @Override
    public HttpClient.Builder cookieHandler(CookieHandler handler) {
      plain.cookieHandler(handler);
      return this;
    }

    @Override
    public HttpClient.Builder connectTimeout(Duration timeout) {
      plain.connectTimeout(timeout);
      return this;
    }

    @Override
    public HttpClient.Builder sslContext(SSLContext context) {
      plain.sslContext(context);
      return this;
    }

    @Override
    public HttpClient.Builder sslParameters(SSLParameters parameters) {
      plain.sslParameters(parameters);
      return this;
    }

    @Override
    public HttpClient.Builder executor(Executor executor) {
      plain.executor(executor);
      return this;
    }

    @Override
    public HttpClient.Builder followRedirects(Redirect policy) {
      plain.followRedirects(policy);
      return this;
    }

    @Override
    public HttpClient.Builder version(Version version) {
      plain.version(version);
      return this;
    }

    @Override
    public HttpClient.Builder priority(int priority) {
      plain.priority(priority);
      return this;
    }

    @Override
    public HttpClient.Builder proxy(ProxySelector selector) {
      plain.proxy(selector);
      return this;
    }

    @Override
    public HttpClient.Builder authenticator(Authenticator authenticator) {
      plain.authenticator(authenticator);
      return this;
    }

    @Override
    public HttpClient.Builder localAddress(InetAddress address) {
      plain.localAddress(address);
      return this;
    }
  }
}
