package io.muster.sandbox;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a {@link Sandbox} and a {@link TestSpace}, one per test. A class has its sandbox to
 * itself while it runs, and leaves it to the next: as many exist as classes run side by side. Pods
 * play the scripts in their annotations and can be reached by exec, see {@code deploy/sandbox/kit}
 * and the package {@code io.muster.kit}. When a test fails, the logs of all components and the
 * objects of its namespace are kept under {@code target/sandbox-logs}. The system property {@code
 * muster.sandbox.bare=true} makes every test run without Muster, as {@link BareSandbox} does for
 * one class.
 */
public final class SandboxExtension implements ParameterResolver, AfterEachCallback {

  private static final Namespace STORE = Namespace.create(SandboxExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    var type = parameter.getParameter().getType();
    return type == Sandbox.class || type == TestSpace.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Sandbox.class ? sandbox(context) : space(context);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      keepLogs(context);
    }
  }

  private static Sandbox sandbox(ExtensionContext context) {
    var ofClass = context;
    while (ofClass.getTestMethod().isPresent()) {
      ofClass = ofClass.getParent().orElseThrow();
    }
    boolean bare =
        Boolean.getBoolean("muster.sandbox.bare")
            || context.getRequiredTestClass().isAnnotationPresent(BareSandbox.class);
    var pool =
        context
            .getRoot()
            .getStore(STORE)
            .computeIfAbsent("pool", _ -> SandboxPool.open(), SandboxPool.class);
    return ofClass
        .getStore(STORE)
        .computeIfAbsent("sandbox", _ -> pool.take(bare), SandboxPool.Lease.class)
        .sandbox();
  }

  private static TestSpace space(ExtensionContext context) {
    return context
        .getStore(STORE)
        .computeIfAbsent(
            "space",
            key ->
                TestSpace.open(
                    sandbox(context),
                    context.getTestMethod().map(method -> method.getName()).orElse("class")),
            TestSpace.class);
  }

  private static void keepLogs(ExtensionContext context) {
    var sandbox = sandbox(context);
    var test =
        context.getRequiredTestClass().getSimpleName()
            + "."
            + context.getRequiredTestMethod().getName();
    Path kept = Layout.current().deploy().resolve("target/sandbox-logs").resolve(test);
    try {
      Files.createDirectories(kept);
      try (var logs = Files.list(sandbox.state().logs())) {
        for (Path log : logs.toList()) {
          Files.copy(log, kept.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      var space = context.getStore(STORE).get("space", TestSpace.class);
      if (space != null) {
        keepObjects(space, kept);
      }
    } catch (IOException | KubernetesClientException e) {
      Console.say("the logs of " + test + " cannot be kept: " + e.getMessage());
    }
  }

  private static void keepObjects(TestSpace space, Path folder) throws IOException {
    var client = space.client();
    Files.writeString(
        folder.resolve("pods.yaml"),
        Serialization.asYaml(client.pods().inNamespace(space.namespace()).list()));
    Files.writeString(
        folder.resolve("events.yaml"),
        Serialization.asYaml(client.v1().events().inNamespace(space.namespace()).list()));
    Files.writeString(
        folder.resolve("nodes.yaml"),
        Serialization.asYaml(client.nodes().withLabels(space.nodeSelector()).list()));
  }
}
