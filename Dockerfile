# visavis as a service: the locked packages, the package itself, and a user without rights.
FROM python:3.12-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY requirements/image.lock requirements/image.lock
COPY src src
RUN python -m venv /opt/visavis \
    && /opt/visavis/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements/image.lock \
    && /opt/visavis/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim
# Rendering text on pictures needs a font.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-dejavu-core && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 visavis && install -d -o visavis -g visavis -m 0700 /home/visavis/data
COPY --from=build /opt/visavis /opt/visavis
ENV PATH=/opt/visavis/bin:$PATH VISAVIS_HOME=/home/visavis/data PYTHONUNBUFFERED=1
USER visavis
VOLUME /home/visavis/data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/api/v1/health', timeout=4)"]
# Beyond 127.0.0.1 every user needs a key: docker compose exec visavis visavis user add NAME --role write
CMD ["visavis", "serve", "--host", "0.0.0.0", "--port", "8000", "--no-open"]
