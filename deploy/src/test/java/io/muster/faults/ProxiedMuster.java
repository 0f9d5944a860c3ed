package io.muster.faults;

import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.Sandbox;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * The Muster of a sandbox with a proxy on each side: all it says to the API server passes one, all
 * kube-scheduler says to it the other. Closing it puts a Muster without proxies back. Confined to
 * the test's thread.
 */
public final class ProxiedMuster implements AutoCloseable {

  private final Sandbox sandbox;
  private final KillingProxy toApiServer;
  private final KillingProxy toMuster;
  private final MusterProcess process;

  private ProxiedMuster(Sandbox sandbox, InstantSource clock, Map<String, Object> settings) {
    this.sandbox = sandbox;
    sandbox.muster().ifPresent(MusterProcess::kill);
    toApiServer = KillingProxy.before(TlsServer.at(sandbox.server(), sandbox.certificate()), clock);
    process =
        sandbox.startMuster(MusterOptions.DEFAULT.seeing(toApiServer.url()).configured(settings));
    var endpoint = process.endpoint();
    toMuster = KillingProxy.before(TlsServer.of(endpoint), clock);
    sandbox.scheduler().start(Optional.of(endpoint.via(toMuster.url() + "/v1")));
  }

  /** Stops the Muster of the sandbox and starts one between proxies in its place. */
  public static ProxiedMuster in(Sandbox sandbox, InstantSource clock) {
    return in(sandbox, clock, Map.of());
  }

  /** The same with settings beside those of the sandbox. */
  public static ProxiedMuster in(
      Sandbox sandbox, InstantSource clock, Map<String, Object> settings) {
    return new ProxiedMuster(sandbox, clock, settings);
  }

  public Sandbox sandbox() {
    return sandbox;
  }

  public MusterProcess process() {
    return process;
  }

  /** Between Muster and the API server. */
  public KillingProxy toApiServer() {
    return toApiServer;
  }

  /** Between kube-scheduler and Muster. */
  public KillingProxy toMuster() {
    return toMuster;
  }

  @Override
  public void close() {
    process.kill();
    toMuster.close();
    toApiServer.close();
    sandbox.startMuster(MusterOptions.DEFAULT);
    sandbox.scheduler().start(Optional.of(sandbox.extender()));
  }
}
