"""`[contact]`: the law between points and ground."""

from typing import Annotated

from pydantic import Field

from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.contact.distributed import ContactDistributed
from planetfall.scenario.tables.contact.marker import ContactMarker

Contact = Annotated[ContactMarker | ContactAnchor | ContactDistributed, Field(discriminator="law")]
