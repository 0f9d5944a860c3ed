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
 * Gives tests a {@link Sandbox}, one per test run, and a {@link TestSpace}, one per test. When a
 * test fails, the logs of all components and the objects of its namespace are kept under {@code
 * target/sandbox-logs}. {@link ScriptedPods} on a class gives it a sandbox that plays scripts. The
 * system property {@code muster.sandbox.bare=true} makes every test run without Muster, as {@link
 * BareSandbox} does for one class.
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
    boolean bare =
        Boolean.getBoolean("muster.sandbox.bare")
            || context.getRequiredTestClass().isAnnotationPresent(BareSandbox.class);
    boolean scripted = context.getRequiredTestClass().isAnnotationPresent(ScriptedPods.class);
    var mode = (bare ? "bare" : "muster") + (scripted ? "-scripted" : "");
    return context
        .getRoot()
        .getStore(STORE)
        .computeIfAbsent(mode, key -> start(key, bare, scripted), Sandbox.class);
  }

  private static Sandbox start(String mode, boolean bare, boolean scripted) {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox").resolve(mode));
    var options = bare ? SandboxOptions.bare(state) : SandboxOptions.withMuster(state).auditing();
    return Sandbox.start(layout, scripted ? options.scripting() : options);
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
