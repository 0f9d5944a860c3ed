package io.muster.bench.probe;

import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * How a probe is started: a file of properties. Immutable.
 *
 * @param server the API server's URL
 * @param ca what to trust of it, a PEM file
 * @param identity folder to put kube-scheduler's certificate into
 * @param nodePrefix nodes are named prefix-0, prefix-1 and so on
 * @param gpus of each node
 * @param gates whether members are gated until all of their gang are there
 */
public record Terms(
    String server,
    Path ca,
    String token,
    Path identity,
    int extenderPort,
    int webhookPort,
    int controlPort,
    String nodePrefix,
    int nodes,
    int gpus,
    boolean gates) {

  /** Reads what {@link #writeTo} wrote. */
  static Terms read(Path file) {
    var values = new Properties();
    try (var text = Files.newBufferedReader(file)) {
      values.load(text);
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be read.", e);
    }
    return new Terms(
        values.getProperty("server"),
        Path.of(values.getProperty("ca")),
        values.getProperty("token"),
        Path.of(values.getProperty("identity")),
        Integer.parseInt(values.getProperty("extenderPort")),
        Integer.parseInt(values.getProperty("webhookPort")),
        Integer.parseInt(values.getProperty("controlPort")),
        values.getProperty("nodePrefix"),
        Integer.parseInt(values.getProperty("nodes")),
        Integer.parseInt(values.getProperty("gpus")),
        Boolean.parseBoolean(values.getProperty("gates")));
  }

  /** Writes them into a file. */
  public void writeTo(Path file) {
    var values = new Properties();
    values.setProperty("server", server);
    values.setProperty("ca", ca.toString());
    values.setProperty("token", token);
    values.setProperty("identity", identity.toString());
    values.setProperty("extenderPort", Integer.toString(extenderPort));
    values.setProperty("webhookPort", Integer.toString(webhookPort));
    values.setProperty("controlPort", Integer.toString(controlPort));
    values.setProperty("nodePrefix", nodePrefix);
    values.setProperty("nodes", Integer.toString(nodes));
    values.setProperty("gpus", Integer.toString(gpus));
    values.setProperty("gates", Boolean.toString(gates));
    try (var text = Files.newBufferedWriter(file)) {
      values.store(text, null);
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be written.", e);
    }
  }
}
