package io.muster.deploy.board.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.abort;

import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/**
 * A Chromium without a window, in which the page is looked at, with a tab that nothing was done in.
 * Closing it leaves the Chromium to the next test: to start one takes longer than most of them.
 * Confined to one thread.
 */
public final class Browser implements AutoCloseable {

  private static final String CHROMIUM = "chromium";
  private static final String DRIVER = "chromedriver";
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int INSTALLED_WITHIN_MINUTES = 10;

  /** Those that nobody uses, by their size. */
  private static final Map<Size, Deque<ChromeDriver>> FREE = new HashMap<>();

  private final Size size;
  private final ChromeDriver driver;

  private Browser(Size size, ChromeDriver driver) {
    this.size = size;
    this.driver = driver;
  }

  /** Of a window, in pixels. */
  private record Size(int width, int height) {}

  /**
   * Opens one; where Chromium and its driver are not installed the test is skipped, and says so. A
   * machine that only builds ({@code CI=true}) installs them.
   */
  public static Browser open(int width, int height) {
    var size = new Size(width, height);
    return new Browser(size, free(size).orElseGet(() -> start(size)));
  }

  private static Optional<ChromeDriver> free(Size size) {
    synchronized (FREE) {
      return Optional.ofNullable(FREE.getOrDefault(size, new ArrayDeque<>()).poll());
    }
  }

  private static ChromeDriver start(Size size) {
    if (!isInstalled() && "true".equals(System.getenv("CI"))) {
      install();
    }
    if (!isInstalled()) {
      abort("chromium and chromedriver are not on PATH: apt-get install chromium chromium-driver");
    }
    var options = new ChromeOptions();
    options.setBinary(program(CHROMIUM).orElseThrow().toString());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--lang=en-US",
        // A board in the cluster may make its own certificate.
        "--ignore-certificate-errors",
        "--force-color-profile=srgb",
        "--window-size=%d,%d".formatted(size.width(), size.height()));
    var service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(program(DRIVER).orElseThrow().toFile())
            .usingAnyFreePort()
            .withEnvironment(Map.of("TZ", "UTC"))
            .build();
    var driver = new ChromeDriver(service, options);
    Runtime.getRuntime().addShutdownHook(new Thread(driver::quit));
    return driver;
  }

  private static Optional<Path> program(String name) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static boolean isInstalled() {
    return program(CHROMIUM).isPresent() && program(DRIVER).isPresent();
  }

  /** Classes run side by side; the script says why it cannot, and then the tests are skipped. */
  private static synchronized void install() {
    if (isInstalled()) {
      return;
    }
    var script = Layout.current().deploy().resolve("sandbox/install-chromium");
    try {
      var process = new ProcessBuilder(script.toString()).inheritIO().start();
      if (!process.waitFor(INSTALLED_WITHIN_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  public void go(String address) {
    driver.get(address);
  }

  /** Of every page from now on, before its own scripts. */
  void runFirst(String script) {
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  /** What it sends of cookies to the page that is open. */
  String cookies() {
    return driver.manage().getCookies().stream()
        .map(cookie -> cookie.getName() + "=" + cookie.getValue())
        .collect(Collectors.joining("; "));
  }

  void reload() {
    driver.navigate().refresh();
  }

  /** Goes to another sight of the page that is open. */
  public void goTo(String hash) {
    run("location.hash = arguments[0]", hash);
  }

  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** A script that ends with {@code arguments[arguments.length - 1](result)}. */
  Object runUntilCalled(String script, Object... arguments) {
    driver.manage().timeouts().scriptTimeout(Duration.ofMinutes(10));
    return driver.executeAsyncScript(script, arguments);
  }

  long number(String script, Object... arguments) {
    return ((Number) run("return " + script, arguments)).longValue();
  }

  /** Texts of all elements that are there. */
  public List<String> texts(String selector) {
    return ((List<?>)
            run(
                "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)",
                selector))
        .stream().map(String.class::cast).toList();
  }

  public void awaitText(String selector, String part) {
    Await.until(
        "\"%s\" to say \"%s\"".formatted(selector, part),
        SOON,
        () -> texts(selector).stream().anyMatch(text -> text.contains(part)));
  }

  public void keys(CharSequence... keys) {
    driver.switchTo().activeElement().sendKeys(keys);
  }

  /** As soon as it is there. */
  public void click(String selector) {
    var wanted = By.cssSelector(selector);
    Await.until(
        "\"%s\" to be there".formatted(selector),
        SOON,
        () -> !driver.findElements(wanted).isEmpty());
    driver.findElement(wanted).click();
  }

  void resize(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** As the system of the reader would have it. */
  void prefer(String theme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
  }

  /** Where the reader is, for the clock. */
  void moveTo(String zone) {
    driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", zone));
  }

  /** What the page's script holds, in MB. */
  double heap() {
    driver.executeCdpCommand("HeapProfiler.collectGarbage", Map.of());
    return ((Number) run("return performance.memory.usedJSHeapSize / 1e6")).doubleValue();
  }

  /** What axe-core finds wrong with what is shown, one line each. */
  List<String> faults() {
    var found =
        runUntilCalled(
            axe()
                + "; const done = arguments[arguments.length - 1];"
                + "axe.run(document, {resultTypes: ['violations']}).then(r => done("
                + "r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.html.slice(0, 200)"
                + " + ' ' + n.failureSummary))));");
    return ((List<?>) found).stream().map(String.class::cast).toList();
  }

  private static String axe() {
    try (var in = Browser.class.getResourceAsStream("/axe.min.js")) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the page or the browser has complained of. */
  public List<String> complaints() {
    return driver.manage().logs().get("browser").getAll().stream()
        .map(entry -> entry.getLevel() + " " + entry.getMessage())
        .toList();
  }

  /** Addresses of all that was loaded. */
  List<String> loaded() {
    return Stream.concat(
            Stream.of(driver.getCurrentUrl()),
            ((List<?>) run("return performance.getEntriesByType('resource').map(e => e.name)"))
                .stream().map(String.class::cast))
        .toList();
  }

  void photograph(Path file) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      var used = driver.getWindowHandle();
      driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
      driver.executeCdpCommand("Network.clearBrowserCache", Map.of());
      var fresh = driver.switchTo().newWindow(WindowType.TAB).getWindowHandle();
      driver.switchTo().window(used).close();
      driver.switchTo().window(fresh);
      complaints();
    } catch (WebDriverException _) {
      driver.quit();
      return;
    }
    synchronized (FREE) {
      FREE.computeIfAbsent(size, _ -> new ArrayDeque<>()).push(driver);
    }
  }
}
